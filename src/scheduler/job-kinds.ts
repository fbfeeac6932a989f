import type { Deliver } from '../callbacks/deliver.ts'
import type { CallbackJob } from '../callbacks/attempt.ts'
import { type Rewrite, targetOf } from '../callbacks/target.ts'
import { performEntry } from '../scenarios/incidents.ts'
import { heldBy } from '../service/domain/callbacks.ts'
import { isStillQueued, type Look, type Tx } from '../service/domain/context.ts'
import { endCheckout } from '../service/domain/checkout.ts'
import { setChannel } from '../service/domain/channels.ts'
import { reviewKyc } from '../service/domain/kyc.ts'
import { endUnanswered } from '../service/domain/prompts.ts'
import { changeLater } from '../service/domain/reversals.ts'
import { settle, settleWhenDue } from '../service/domain/transactions.ts'
import type { JobRow, JobTask } from '../storage/store/payment-rows.ts'
import type { World } from '../worlds/world.ts'
import type { Dispatch, RunJob } from './job-performer.ts'

type TaskOf<Kind extends JobTask['kind']> = Extract<JobTask, { readonly kind: Kind }>

/** A short description; `refused` if the ledger rejected a planned change. */
interface Result {
  readonly result: string
  readonly refused?: string | undefined
}

/** Performs each kind of job in its world, except callbacks. */
const kinds: {
  readonly [Kind in Exclude<JobTask['kind'], 'callback'>]: (tx: Tx, task: TaskOf<Kind>) => Result
} = {
  settle: (tx, { transaction_id, status, reason }) => ({
    result: settleWhenDue(tx, transaction_id, status, reason),
  }),
  review(tx, task) {
    reviewKyc(tx, task.kyc_id, task.revision, task)
    return { result: task.status }
  },
  expire(tx, { transaction_id }) {
    endCheckout(tx, transaction_id)
    return { result: 'done' }
  },
  unanswered: (tx, { transaction_id }) => ({ result: endUnanswered(tx, transaction_id) }),
  later(tx, { transaction_id, status }) {
    const refused = changeLater(tx, transaction_id, status)
    return { result: refused ?? status, refused }
  },
  expire_offline(tx, { transaction_id }) {
    settle(tx, transaction_id, 'FAILED', 'expired')
    return { result: 'done' }
  },
  channel(tx, { channel_id, is_active }) {
    setChannel(tx, channel_id, is_active)
    return { result: 'done' }
  },
  incident: (tx, task) => ({ result: performEntry(tx, task) }),
}

/** Runs a job and deletes its row in one change. @param onRefused - Called when the ledger rejects a planned change. */
export const jobRunner =
  (deliver: Deliver, onRefused: (world: World, why: string) => void): RunJob =>
  async (world, job, generation) => {
    if (isCallback(job)) return deliver(world, job, generation)
    const { task } = job
    const { result, refused } = await world.change((tx): Result => {
      if (!isStillQueued(tx, job, generation)) return { result: 'the world was reset in the meantime' }
      tx.rows.delete('jobs', job.id)
      const perform = kinds[task.kind as keyof typeof kinds] as (tx: Tx, task: JobTask) => Result
      return perform(tx, task)
    })
    if (refused !== undefined) onRefused(world, refused)
    return result
  }

/** Callbacks of a transaction are sent in order, within the limit of their host. */
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
