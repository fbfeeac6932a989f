/** A world's time, and what falls due in it. */
import type { FilterOf } from './operations.ts'
import type { Transport } from './transport.ts'
import type { Clock, Steered } from '../generated/control/types.ts'

/**
 * The time of a world.
 * @example
 * ```ts
 * import type { ClockClient } from 'payments-sandbox'
 *
 * const later = async (clock: ClockClient) => {
 *   const before = await clock.now()
 *   await clock.advance('72h')
 *   const after = await clock.now()
 *   return (after.getTime() - before.getTime()) / 3_600_000
 * }
 * const shop = await world.world()
 * await later(shop.clock) // => 72
 * ```
 */
export interface ClockClient {
  now(): Promise<Date>
  /** Its time, its speed, and what is due next. */
  show(): Promise<Clock>
  /** Stands still from now on. */
  freeze(): Promise<void>
  resume(): Promise<void>
  /** 60 is an hour a minute. */
  speed(factor: number): Promise<void>
  /** Leaps on by a duration such as `72h`, or to a time; runs what falls due on the way. */
  advance(to: string | Date): Promise<Steered>
}

/**
 * Which work is meant.
 * @example
 * ```ts
 * import type { JobFilter } from 'payments-sandbox'
 *
 * const attempts: JobFilter = { kind: 'callback' }
 * await world.jobs(attempts) // => []
 * ```
 */
export type JobFilter = FilterOf<'listJobs'>

/** `world.clock`. */
export const clockOf = ({ call }: Transport): ClockClient => ({
  now: async () => new Date((await call('getClock')).now),
  show: () => call('getClock'),
  freeze: async () => void (await call('freezeClock')),
  resume: async () => void (await call('resumeClock')),
  speed: async (factor) => void (await call('setClockSpeed', { body: { factor } })),
  advance: (to) => call('advanceClock', { body: furtherTo(to) }),
})

/** A text that is no time is a duration; the sandbox refuses what is neither. */
function furtherTo(to: string | Date) {
  if (to instanceof Date) return { to: to.toISOString() }
  return /^\d{4}-/.test(to) ? { to } : { by: to }
}
