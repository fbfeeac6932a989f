import type { CallbackJob, Deliver } from '../callbacks/deliver.ts'
import { targetOf } from '../callbacks/rewrite.ts'
import type { Rewrite } from '../callbacks/rewrite.ts'
import type { Look } from '../domain/context.ts'
import { isStillQueued } from '../domain/jobs.ts'
import { setChannel } from '../domain/channels.ts'
import { reviewKyc } from '../domain/kyc.ts'
import { changeLater } from '../domain/reversals.ts'
import { settle } from '../domain/transactions.ts'
import type { JobRow } from '../store/rows.ts'
import type { World } from '../worlds/world.ts'
import type { Dispatch, RunJob } from './scheduler.ts'

/** A planned change of a transaction that the ledger did not allow any more. */
export type OnRefused = (world: World, why: string) => void

/** What each kind of job does; its row goes in the same change as its effect. */
export const jobRunner =
  (deliver: Deliver, onRefused: OnRefused): RunJob =>
  async (world, job, generation) => {
    if (isCallback(job)) return deliver(world, job, generation)
    const { task } = job
    const { result, refused } = await world.change((tx) => {
      // Whoever reset the world meanwhile wants nothing of it.
      if (!isStillQueued(tx, job, generation)) return { result: 'the world was reset meanwhile' }
      tx.rows.delete('jobs', job.id)
      if (task.kind === 'later') {
        const refused = changeLater(tx, task.transaction_id, task.status)
        return { result: refused ?? task.status, refused }
      }
      if (task.kind === 'settle') settle(tx, task.transaction_id, task.status, task.reason)
      else if (task.kind === 'channel') setChannel(tx, task.channel_id, task.is_active)
      else if (task.kind === 'review') reviewKyc(tx, task.kyc_id, task.revision, task)
      return { result: 'status' in task ? task.status : 'done' }
    })
    if (refused !== undefined) onRefused(world, refused)
    return result
  }

/** Callbacks wait for their receivers: those of one transaction in order, those of one host within its limit. */
export const createDispatchOf =
  (rewrites: readonly Rewrite[], isInbox: (url: string) => boolean) =>
  ({ rows }: Look, job: JobRow): Dispatch | null => {
    if (!isCallback(job)) return null
    const callback = rows.get('callbacks', job.task.callback_id)
    if (!callback) return { target: '', series: `job ${job.id}`, held: false }
    const { transaction_id, id, out_of_order = false } = callback
    let held = false
    for (const other of rows.find('callbacks', 'transaction', transaction_id)) {
      // Only those on one side hold it: two that held each other would both wait for ever.
      if ((other.out_of_order ?? false) !== out_of_order || other.state !== 'pending') continue
      if (out_of_order ? other.id <= id : other.id >= id) continue
      const owed = rows.find('jobs', 'callback', other.id)
      if (owed.every(({ failed }) => failed?.given_up)) continue
      // A newer one that is out of order may have become due after this one, when everything was late.
      const tried =
        owed.some(({ failed }) => failed) || rows.find('attempts', 'callback', other.id).length > 0
      if (out_of_order || tried) held = true
    }
    const target = isInbox(callback.url) ? 'inbox' : targetOf(callback.url, rewrites)
    return { target, series: `transaction ${transaction_id}`, held }
  }

const isCallback = (job: JobRow): job is CallbackJob => job.task.kind === 'callback'
