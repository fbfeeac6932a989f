import type { Ticks } from '../../../src/lib/clock/ticks.ts'

/**
 * Clocks that tests move. Waiting takes no time by itself: `onWait` says what happens meanwhile, and the clocks go on by as
 * much as was waited for.
 */
export function manualTicks() {
  const clock = { now: Date.parse('2026-06-13T12:00:00Z') }
  const works = new Set<() => void>()
  const state = {
    ticks: {
      monotonic: () => clock.now,
      wall: () => clock.now,
      async wait(ms) {
        await state.onWait(ms)
        clock.now += ms
      },
      every(_ms, work) {
        works.add(work)
        return () => void works.delete(work)
      },
    } satisfies Ticks,
    onWait: async (_ms: number): Promise<void> => {},
    /** Lets time go by without a heartbeat, as for a process that is stopped. */
    sleep: (ms: number) => void (clock.now += ms),
    /** Does once what is done every so often. */
    repeat() {
      for (const work of works) work()
    },
  }
  return state
}
