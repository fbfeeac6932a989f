/**
 * Calendar work, on the wall's clock: the only place that knows node-cron, which ticks on whole seconds. It is loaded when
 * it is first used, so that the start does not wait for it, and what is done every minute does without.
 */

import { everyMinute } from '../lib/clock/every-minute.ts'

export const EVERY_MINUTE = '* * * * *'

export interface Recurring {
  /** What it is, for the log. */
  readonly name: string
  /** A cron expression of five fields, or six with seconds. */
  readonly at: string
  /** @param due_at the time it was due, milliseconds on the wall */
  readonly run: (due_at: number) => Promise<void>
}

interface RecurringOptions {
  /** An IANA time zone. */
  readonly timeZone: string
  readonly onError: (error: unknown, name: string) => void
}

const load = async () => (await import('node-cron')).default

/** @throws Error that says what would be accepted */
export async function checkExpression(expression: string): Promise<void> {
  const cron = await load()
  if (cron.validate(expression)) return
  throw new Error(
    `"${expression}" is no cron expression: five fields are accepted, minute hour day-of-month month day-of-week, such as 0 3 * * *`,
  )
}

/** Failures are told of by onError, and a run that is left out while the one before goes on is no news. */
const silent = { info() {}, warn() {}, error() {}, debug() {} }

/**
 * Does each piece of work when its time comes; one that still runs then is not begun again. Returns how to stop.
 * @param works their expressions checked
 */
export async function startRecurring(
  works: readonly Recurring[],
  { timeZone, onError }: RecurringOptions,
): Promise<() => void> {
  const told = works.map(({ name, at, run }) => ({
    name,
    at,
    run: (due_at: number) => run(due_at).catch((error: unknown) => onError(error, name)),
  }))
  const stops = told.filter(({ at }) => at === EVERY_MINUTE).map(({ run }) => everyMinute(run))
  const others = told.filter(({ at }) => at !== EVERY_MINUTE)
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
