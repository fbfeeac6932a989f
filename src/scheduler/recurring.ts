/**
 * Calendar work, on the wall's clock: the only place that knows node-cron, which ticks on whole seconds. It is loaded when
 * it is first used, so that the start does not wait for it.
 */

export interface Recurring {
  /** What it is, for the log. */
  readonly name: string
  /** A cron expression of five fields, or six with seconds. */
  readonly at: string
  /** @param due_at the time it was due, milliseconds on the wall */
  readonly run: (due_at: number) => Promise<void>
}

export interface RecurringOptions {
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
  const cron = await load()
  const tasks = works.map(({ name, at, run }) =>
    cron.schedule(at, ({ date }) => run(date.getTime()).catch((error: unknown) => onError(error, name)), {
      timezone: timeZone,
      name,
      noOverlap: true,
      unref: true,
      logger: silent,
    }),
  )
  return () => {
    for (const task of tasks) void task.destroy()
  }
}
