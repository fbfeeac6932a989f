import { eventId } from '../callbacks/attempt.ts'
import type { Look } from '../domain/context.ts'
import type { AttemptRow, CallbackRow, FailedJob, JobRow } from '../store/rows.ts'
import { exactTime } from './read.ts'

/** A callback as lists show it. */
export async function callbackView({ rows }: Look, world: string, row: CallbackRow) {
  const transaction = await rows.get('transactions', row.transaction_id)
  const attempts = await rows.find('attempts', 'callback', row.id)
  const jobs = await rows.find('jobs', 'callback', row.id)
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
  }
}

/** A callback with everything that was tried. */
export async function callbackDetails(look: Look, world: string, row: CallbackRow) {
  const attempts = await look.rows.find('attempts', 'callback', row.id)
  return {
    callback: await callbackView(look, world, row),
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
export async function failingView(look: Look, job: JobRow, { times, at, error, given_up }: FailedJob) {
  const { kind, transaction, callback, due_at } = await workView(look, job)
  const next_attempt_at = given_up ? null : due_at
  return { kind, transaction, callback, failures: times, failed_at: exactTime(at), error, next_attempt_at }
}

/** The transaction and callback that a job is about. */
export async function workView({ rows }: Look, { task, due_at }: JobRow) {
  const callback = task.kind === 'callback' ? await rows.get('callbacks', task.callback_id) : undefined
  const id = 'transaction_id' in task ? task.transaction_id : callback?.transaction_id
  const transaction = id === undefined ? undefined : await rows.get('transactions', id)
  return {
    kind: task.kind,
    due_at: exactTime(due_at),
    transaction: transaction?.reference ?? null,
    callback: task.kind === 'callback' ? task.callback_id : null,
  }
}
