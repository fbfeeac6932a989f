import type { Deliver } from '../callbacks/deliver.ts'
import type { CallbackJob } from '../callbacks/attempt.ts'
import { type Rewrite, targetOf } from '../callbacks/rewrite.ts'
import { heldBy } from '../service/domain/callbacks.ts'
import type { Look } from '../service/domain/context.ts'
import { isStillQueued } from '../service/domain/jobs.ts'
import { endCheckout } from '../service/domain/checkout.ts'
import { setChannel } from '../service/domain/channels.ts'
import { reviewKyc } from '../service/domain/kyc.ts'
import { endUnanswered } from '../service/domain/prompts.ts'
import { changeLater } from '../service/domain/reversals.ts'
import { settle, settleWhenDue } from '../service/domain/transactions.ts'
import type { JobRow } from '../storage/store/payment-rows.ts'
import type { World } from '../worlds/world.ts'
import type { Dispatch, RunJob } from './job.ts'

/** A planned change of a transaction that the ledger did not allow any more. */
type OnRefused = (world: World, why: string) => void

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
      if (task.kind === 'settle')
        return { result: settleWhenDue(tx, task.transaction_id, task.status, task.reason) }
      if (task.kind === 'unanswered') return { result: endUnanswered(tx, task.transaction_id) }
      if (task.kind === 'expire') endCheckout(tx, task.transaction_id)
      else if (task.kind === 'expire_offline') settle(tx, task.transaction_id, 'FAILED', 'expired')
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
    const { transaction_id, id, fired } = callback
    const held = heldBy({ rows }, callback) !== undefined
    const target = isInbox(callback.url) ? 'inbox' : targetOf(callback.url, rewrites)
    return { target, series: fired ? `callback ${id}` : `transaction ${transaction_id}`, held }
  }

const isCallback = (job: JobRow): job is CallbackJob => job.task.kind === 'callback'
