import { handlers, MOST_LOOKED_AT, ok, timeOr } from './page.ts'
import type { Requests } from '../generated/control/requests.ts'
import type { Job } from '../generated/control/types.ts'
import { sliceOf, type TimeSlice, timeSlice, type Clock, LAST_TIME } from '../lib/clock/clock.ts'
import { shown } from '../lib/text/shown.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { heldBy } from '../service/domain/callbacks.ts'
import { type Look, failingJobs } from '../service/domain/context.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import { unansweredReason } from '../service/domain/phones.ts'
import { exactTime, readDuration } from '../service/domain/wire-time.ts'
import type { JobRow, JobTask, TransactionRow } from '../storage/store/payment-rows.ts'
import type { FailedJob } from '../storage/store/rows.ts'
import type { JobRun } from '../scheduler/job-performer.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { CLOCK_STATE } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'

/** Jobs read at once. */
const A_LOOK = 1_000

export const jobs = handlers(() => ({
  async listJobs({ world, request }) {
    const { query } = request
    const { kind } = query
    if (kind !== undefined && !jobKinds.includes(kind as JobTask['kind']))
      throw invalid(
        `kind must be one of ${jobKinds.join(', ')}, got ${shown(kind)}${didYouMean(kind, jobKinds)}`,
      )
    const slice = sliceOf(world.name)
    return ok(await world.readInSlices((look) => pageOf(look, query, slice)))
  },
}))

/**
 * Returns a page of jobs in the order they fall due. Pages stay consistent while jobs run in the meantime.
 */
async function pageOf(
  look: Look,
  { state, kind, until, after, limit = 100 }: Requests['listJobs']['query'],
  slice: TimeSlice,
) {
  const group = state === 'abandoned' ? 1 : 0
  const end = timeOr(until, Infinity)
  const { rows } = look
  const found: JobRow[] = []
  const page = (next: JobRow | undefined) => ({
    jobs: found.slice(0, limit).map((job) => jobView(look, job)),
    total: rows.count('jobs', 'due', group),
    next_after: next ? placeOf(next) : null,
  })
  const from = after === undefined ? 0 : rows.rank('jobs', 'due', group, placeAfter(after)).count
  for (let looked = 0; ; looked += A_LOOK) {
    const some = rows.walk('jobs', 'due', group, { offset: from + looked, limit: A_LOOK })
    found.push(...some.filter((job) => job.due_at <= end && (kind === undefined || job.task.kind === kind)))
    if (found.length > limit) return page(found[limit - 1])
    const last = some.at(-1)
    if (some.length < A_LOOK || last!.due_at > end) return page(undefined)
    if (looked + A_LOOK >= MOST_LOOKED_AT) return page(last)
    if (slice.over) await slice.next()
  }
}

const placeOf = ({ due_at, id }: JobRow) => `${due_at}-${id}`

function placeAfter(after: string): { readonly by: number; readonly key: number } {
  const [, by, id] = /^(-?\d{1,16})-(\d{1,15})$/.exec(after) ?? []
  if (by === undefined || id === undefined)
    throw invalid(`after must be the next_after of a page, such as 1782780293000-14, got ${shown(after)}`)
  return { by: Number(by), key: Number(id) + 1 }
}

/** The outcome of a job, as far as it is known before the job runs. */
const outcomes: {
  readonly [Kind in JobTask['kind']]: (task: Extract<JobTask, { kind: Kind }>, look: Look) => string
} = {
  settle: ({ status, reason }) => (reason === null ? status : `${status}: ${reason}`),
  review: ({ status }) => status,
  expire: () => 'FAILED: expired',
  expire_offline: () => 'FAILED: expired',
  unanswered({ transaction_id }, look) {
    const row = look.rows.get('transactions', transaction_id)
    return `FAILED: ${row ? unansweredReason(look, row) : 'expired'}`
  },
  later: ({ status }) => status,
  channel: ({ is_active }) => (is_active ? 'opened' : 'closed'),
  incident: ({ name }) => name,
  callback: () => '',
}

const jobKinds = Object.keys(outcomes) as readonly JobTask['kind'][]

export function jobView(look: Look, { id, due_at, task, failed }: JobRow): Job {
  const work = workView(look, { task, due_at })
  const callback = work.callback === null ? undefined : look.rows.get('callbacks', work.callback)
  const tried = callback ? look.rows.find('attempts', 'callback', callback.id).length : 0
  return {
    id,
    kind: work.kind,
    due_at: work.due_at,
    due_in_ms: due_at - look.now,
    transaction: work.transaction,
    callback: work.callback,
    kyc: task.kind === 'review' ? task.kyc_id : null,
    channel: task.kind === 'channel' ? task.channel_id : null,
    outcome: outcomes[task.kind](task as never, look),
    attempts: tried + (failed?.times ?? 0),
    error: failed?.error ?? '',
    abandoned: failed?.abandoned ?? false,
    blocked_by: callback?.state === 'pending' ? (heldBy(look, callback) ?? null) : null,
  }
}

/** Maximum number of jobs read to find the settlement of a transaction, which has no index. */
const LOOKED_THROUGH = 1_000

/** Returns the pending jobs of a transaction, soonest first. */
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

function failingView(look: Look, job: JobRow, { times, at, error, abandoned }: FailedJob) {
  const { kind, transaction, callback, due_at } = workView(look, job)
  const next_attempt_at = abandoned ? null : due_at
  return { kind, transaction, callback, failures: times, failed_at: exactTime(at), error, next_attempt_at }
}

/** A job with the transaction and callback that it concerns. */
export function workView({ rows }: Look, { task, due_at }: Pick<JobRow, 'task' | 'due_at'>) {
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

/** Maximum number of jobs that one request runs, and that its response lists. */
const MOST_RUN = 10_000
const MOST_LISTED = 1_000
/** Jobs rendered per read. */
const A_READ = 100
const MOST_FAILING = 100

export const clock = handlers(({ scheduler }) => ({
  async getClock({ world }) {
    return ok(await clockView(world))
  },

  async freezeClock({ world }) {
    return ok(await changed(scheduler, world, (clock) => clock.freeze()))
  },

  async resumeClock({ world }) {
    return ok(await changed(scheduler, world, (clock) => clock.run(1)))
  },

  async setClockSpeed({ request, world }) {
    const { speed: factor, ...rest } = request.body
    noneLeft(rest)
    return ok(await changed(scheduler, world, (clock) => clock.run(factor)))
  },

  async advanceClock({ world, request }) {
    const { by, to, ...rest } = request.body
    noneLeft(rest)
    const now = await timeOf(world)
    if ((by === undefined) === (to === undefined))
      throw invalid('one of by (a duration, such as 72h) and to (a time) is required')
    const duration = by === undefined ? undefined : readDuration('by', by)
    const time = duration === undefined ? Date.parse(to!) : now + duration
    if (time < now)
      throw invalid(`to must not be before the world's current time, ${exactTime(now)}, got "${to}"`)
    if (time > LAST_TIME)
      throw invalid(
        `${by === undefined ? 'to must be' : 'by must lead to'} at most ${exactTime(LAST_TIME)}, the latest supported time, got "${by ?? to}"`,
      )
    // One that waits for another adds to it.
    const until = async () => Math.min((await timeOf(world)) + duration!, LAST_TIME)
    const ran = await scheduler.advance(world, duration === undefined ? time : until, MOST_RUN)
    return ok(await travelView(world, ran, MOST_RUN))
  },

  async settle({ world, request }) {
    const { within, limit = MOST_RUN } = request.query
    const until = within === undefined ? undefined : (await timeOf(world)) + readDuration('within', within)
    const ran = await scheduler.settle(world, limit, until)
    return ok(await travelView(world, ran, limit))
  },
}))

/** Returns the time of a world by its rows: another process may have moved its clock since it was last read here. */
const timeOf = (world: World) => world.read(({ now }) => now)

/** Saves the clock's state, which other processes and the next start read, and wakes up waiting jobs. */
async function changed(scheduler: Scheduler, world: World, work: (clock: Clock) => void) {
  await world.changeClock((tx) => {
    work(world.clock)
    tx.rows.put('state', { name: CLOCK_STATE, value: world.clock.state })
  })
  scheduler.clockChanged(world)
  return clockView(world)
}

function clockView(world: World) {
  return world.read((look) => {
    const [next] = look.rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 })
    const { speed: factor } = world.clock.state
    return {
      now: exactTime(world.clock.now()),
      real_time: exactTime(world.clock.date()),
      frozen: factor === 0,
      speed: factor,
      scheduled: look.rows.count('jobs', 'due', 0),
      next: next ? workView(look, next) : null,
      failing: failingJobs(look)
        .slice(0, MOST_FAILING)
        .map((job) => failingView(look, job, job.failed!)),
    }
  })
}

async function travelView(world: World, ran: readonly JobRun[], most: number) {
  const clock = await clockView(world)
  const listed = []
  const slice = await timeSlice(world.name)
  for (let from = 0; from < Math.min(ran.length, MOST_LISTED); from += A_READ) {
    if (slice.over) await slice.next()
    const some = ran.slice(from, Math.min(from + A_READ, MOST_LISTED))
    const views = world.read((look) => some.map(({ job, result }) => ({ ...workView(look, job), result })))
    listed.push(...(await views))
  }
  return { clock, jobs: listed, job_count: ran.length, complete: ran.length < most }
}
