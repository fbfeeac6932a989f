import type { FilterOf } from './operations.ts'
import type { Transport } from './transport.ts'
import type { Clock, Steered } from '../generated/control/types.ts'

/**
 * The clock of a world: `world.clock`.
 * @example
 * ```ts
 * const shop = await world.world()
 * const before = await shop.clock.now()
 * await shop.clock.advance('72h')
 * const after = await shop.clock.now()
 * after.getTime() - before.getTime() // => 72 * 3_600_000
 * ```
 */
export interface ClockClient {
  now(): Promise<Date>
  /** Returns the clock's time and speed and the next pending jobs. */
  show(): Promise<Clock>
  /** Stops the clock. */
  freeze(): Promise<void>
  resume(): Promise<void>
  /** Sets the speed: at 60, an hour passes in a minute. */
  speed(factor: number): Promise<void>
  /** Advances by a duration such as `72h` or a number of milliseconds, or to a time, and runs all jobs that become due. */
  advance(to: string | number | Date): Promise<Steered>
}

/**
 * Filter of `world.jobs`.
 * @example
 * ```ts
 * const attempts: JobFilter = { kind: 'callback' }
 * await world.jobs(attempts) // => []
 * ```
 */
export type JobFilter = FilterOf<'listJobs'>

export const clockOf = ({ call }: Transport): ClockClient => ({
  now: async () => new Date((await call('getClock')).now),
  show: () => call('getClock'),
  freeze: async () => void (await call('freezeClock')),
  resume: async () => void (await call('resumeClock')),
  speed: async (factor) => void (await call('setClockSpeed', { body: { speed: factor } })),
  advance: (to) => call('advanceClock', { body: furtherTo(to) }),
})

/** Treats text that is not a time as a duration; the sandbox validates both. */
function furtherTo(to: string | number | Date) {
  if (typeof to === 'number') return { by: String(to) }
  if (to instanceof Date) return { to: to.toISOString() }
  return /^\d{4}-/.test(to) ? { to } : { by: to }
}
