import { heldBy } from '../service/domain/callbacks.ts'
import type { Look } from '../service/domain/context.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { Job } from '../generated/control/schemas.ts'
import type { JobRow, JobTask, TransactionRow } from '../storage/store/payment-rows.ts'

/** What a kind of work brings about, where that is known before it is done. */
const outcomes: { readonly [Kind in JobTask['kind']]: (task: Extract<JobTask, { kind: Kind }>) => string } = {
  settle: ({ status, reason }) => (reason === null ? status : `${status}: ${reason}`),
  review: ({ status }) => status,
  expire: () => 'FAILED: expired',
  expire_offline: () => 'FAILED: expired',
  unanswered: () => 'FAILED: expired',
  later: ({ status }) => status,
  channel: ({ is_active }) => (is_active ? 'opened' : 'closed'),
  callback: () => '',
}

/** The kinds of work there are. */
export const jobKinds = Object.keys(outcomes) as readonly JobTask['kind'][]

/** Work that is owed, as lists show it. */
export function jobView(look: Look, { id, due_at, task, failed }: JobRow): Job {
  const callback = task.kind === 'callback' ? look.rows.get('callbacks', task.callback_id) : undefined
  const transaction_id = 'transaction_id' in task ? task.transaction_id : callback?.transaction_id
  const transaction = transaction_id === undefined ? undefined : look.rows.get('transactions', transaction_id)
  const tried = callback ? look.rows.find('attempts', 'callback', callback.id).length : 0
  return {
    id,
    kind: task.kind,
    due_at: exactTime(due_at),
    in_ms: due_at - look.now,
    transaction: transaction?.reference ?? null,
    callback: task.kind === 'callback' ? task.callback_id : null,
    kyc: task.kind === 'review' ? task.kyc_id : null,
    channel: task.kind === 'channel' ? task.channel_id : null,
    outcome: outcomes[task.kind](task as never),
    attempts: tried + (failed?.times ?? 0),
    error: failed?.error ?? '',
    given_up: failed?.given_up ?? false,
    waits_for: callback?.state === 'pending' ? (heldBy(look, callback) ?? null) : null,
  }
}

/** How much of what is due first is looked through for the settlement of a transaction, which no look-up has. */
const LOOKED_THROUGH = 1_000

/** What is owed for a transaction, soonest first. A settlement is found among the first thousand pieces of work. */
export function plannedFor({ rows }: Look, { id, status }: TransactionRow): readonly JobRow[] {
  const callbacks = rows.find('callbacks', 'transaction', id)
  const page = { offset: 0, limit: LOOKED_THROUGH }
  const soon = status === 'QUEUED' ? rows.walk('jobs', 'due', 0, page) : []
  const jobs = [
    ...soon.filter(({ task }) => task.kind === 'settle' && task.transaction_id === id),
    ...rows.find('jobs', 'expire', id),
    ...rows.find('jobs', 'later', id),
    ...callbacks.flatMap((callback) => rows.find('jobs', 'callback', callback.id)),
  ]
  return jobs.toSorted((a, b) => a.due_at - b.due_at || a.id - b.id)
}
