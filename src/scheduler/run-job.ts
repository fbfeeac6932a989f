import type { Deliver } from '../callbacks/deliver.ts'
import { setChannel } from '../domain/channels.ts'
import { reviewKyc } from '../domain/kyc.ts'
import { changeLater } from '../domain/afterwards.ts'
import { settle } from '../domain/transactions.ts'
import type { JobRow } from '../store/rows.ts'
import type { RunJob } from './scheduler.ts'

/** What each kind of job does; its row goes in the same change as its effect. */
export const jobRunner =
  (deliver: Deliver): RunJob =>
  async (world, job) => {
    const { task } = job
    if (task.kind === 'callback') return deliver(world, job.id, task.callback_id)
    await world.change(async (tx) => {
      await tx.rows.delete('jobs', job.id)
      if (task.kind === 'settle') await settle(tx, task.transaction_id, task.status, task.reason)
      else if (task.kind === 'later') await changeLater(tx, task.transaction_id, task.status)
      else if (task.kind === 'channel') await setChannel(tx, task.channel_id, task.is_active)
      else await reviewKyc(tx, task.kyc_id, task.revision, task)
    })
  }

/** A callback waits for its receiver; everything else is done at once. */
export const waitsForNetwork = (job: JobRow) => job.task.kind === 'callback'
