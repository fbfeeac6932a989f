import { eventId } from '../callbacks/attempt.ts'
import { heldBy } from '../service/domain/callbacks.ts'
import type { Look } from '../service/domain/context.ts'
import type { AttemptRow, CallbackRow, JobRow } from '../storage/store/payment-rows.ts'
import type { FailedJob } from '../storage/store/rows.ts'
import { exactTime } from '../service/domain/wire-time.ts'

/** A callback as lists show it. */
export function callbackView(look: Look, world: string, row: CallbackRow) {
  const { rows } = look
  const transaction = rows.get('transactions', row.transaction_id)
  const attempts = rows.find('attempts', 'callback', row.id)
  const jobs = rows.find('jobs', 'callback', row.id)
  const last = attempts.at(-1)
  return {
    id: row.id,
    event_id: eventId(world, row),
    transaction: transaction?.reference ?? '',
    external_reference: transaction?.external_reference ?? '',
    url: row.url,
    shape: row.shape,
    state: row.state,
    fault: row.fault,
    created_at: exactTime(row.created_at),
    attempts_made: attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? '',
    next_attempt_at: jobs.length > 0 ? exactTime(Math.min(...jobs.map((job) => job.due_at))) : null,
    waits_for: row.state === 'pending' ? (heldBy(look, row) ?? null) : null,
  }
}

/** A callback with everything that was tried. */
export function callbackDetails(look: Look, world: string, row: CallbackRow) {
  const attempts = look.rows.find('attempts', 'callback', row.id)
  return {
    callback: callbackView(look, world, row),
    body: row.body,
    attempts: attempts.map((attempt, at) => attemptView(row, attempt, at + 1)),
  }
}

function attemptView(callback: CallbackRow, row: AttemptRow, number: number) {
  const { status, answer_headers: headers, answer_body: body } = row
  return {
    number,
    at: exactTime(row.at),
    sent_at: exactTime(row.wall_at),
    duration_ms: row.duration_ms,
    url: row.url,
    request: { headers: row.request_headers, body: row.request_body ?? callback.body },
    answer: status === null ? null : { status, headers, body },
    error: row.error,
    advice: row.advice,
    next_attempt_at: row.next_at === null ? null : exactTime(row.next_at),
  }
}

/** Work that went wrong. */
export function failingView(look: Look, job: JobRow, { times, at, error, given_up }: FailedJob) {
  const { kind, transaction, callback, due_at } = workView(look, job)
  const next_attempt_at = given_up ? null : due_at
  return { kind, transaction, callback, failures: times, failed_at: exactTime(at), error, next_attempt_at }
}

/** The transaction and callback that a job is about. */
export function workView({ rows }: Look, { task, due_at }: JobRow) {
  const callback = task.kind === 'callback' ? rows.get('callbacks', task.callback_id) : undefined
  const id = 'transaction_id' in task ? task.transaction_id : callback?.transaction_id
  const transaction = id === undefined ? undefined : rows.get('transactions', id)
  return {
    kind: task.kind,
    due_at: exactTime(due_at),
    transaction: transaction?.reference ?? null,
    callback: task.kind === 'callback' ? task.callback_id : null,
  }
}
