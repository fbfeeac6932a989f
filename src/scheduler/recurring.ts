import { systemWall } from '../lib/clock/clock.ts'

/** Calendar work in real time. node-cron is loaded at first use, to keep the start fast; every-minute work does not need it. */
export const EVERY_MINUTE = '* * * * *'

export interface Recurring {
  readonly name: string
  /** A cron expression of five fields, or six with seconds. */
  readonly at: string
  /** @param due_at - Milliseconds in real time. */
  readonly run: (due_at: number) => Promise<void>
}

interface RecurringOptions {
  readonly timeZone: string
  readonly onError: (error: unknown, name: string) => void
}

const load = async () => (await import('node-cron')).default

export async function checkExpression(expression: string): Promise<void> {
  const cron = await load()
  if (cron.validate(expression)) return
  throw new Error(
    `"${expression}" is not a cron expression: use five fields, minute hour day-of-month month day-of-week, such as 0 3 * * *`,
  )
}

/** onError reports failures, and skipped runs are expected. */
const silent = { info() {}, warn() {}, error() {}, debug() {} }

/**
 * Runs each work at its times, except while its previous run lasts. Returns a function that stops all.
 * @param works - With valid expressions.
 */
export async function startRecurring(
  works: readonly Recurring[],
  { timeZone, onError }: RecurringOptions,
): Promise<() => void> {
  const reported = works.map(({ name, at, run }) => ({
    name,
    at,
    run: (due_at: number) => run(due_at).catch((error: unknown) => onError(error, name)),
  }))
  const stops = reported.filter(({ at }) => at === EVERY_MINUTE).map(({ run }) => everyMinute(run))
  const others = reported.filter(({ at }) => at !== EVERY_MINUTE)
  if (others.length > 0) {
    const cron = await load()
    for (const { name, at, run } of others) {
      const options = { timezone: timeZone, name, noOverlap: true, unref: true, logger: silent }
      const task = cron.schedule(at, ({ date }) => run(date.getTime()), options)
      stops.push(() => void task.destroy())
    }
  }
  return () => {
    for (const stop of stops) stop()
  }
}

const MINUTE = 60_000
const EARLY = 1_000

const minuteAt = (time: number) => Math.floor(time / MINUTE) * MINUTE

/** Calls `run` every full minute, except while its previous run lasts; does not keep the process alive. */
function everyMinute(run: (minute: number) => Promise<void>): () => void {
  let timer: NodeJS.Timeout
  let isRunning = false
  const once = async (minute: number) => {
    if (isRunning) return
    isRunning = true
    await run(minute)
    isRunning = false
  }
  const wait = (next: number) => {
    timer = setTimeout(() => {
      const minute = minuteAt(systemWall() + EARLY)
      wait(minute + MINUTE)
      void once(minute)
    }, next - systemWall())
    timer.unref()
  }
  wait(minuteAt(systemWall()) + MINUTE)
  return () => clearTimeout(timer)
}
