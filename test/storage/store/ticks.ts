import type { Ticks } from '../../../src/lib/clock/clock.ts'

/**
 * Clocks controlled by tests. Waiting takes no real time: `onWait` is called, and the clocks advance by the time waited for.
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
    /** Advances time without a heartbeat, as for a stopped process. */
    sleep: (ms: number) => void (clock.now += ms),
    /** Runs the repeated work once. */
    repeat() {
      for (const work of works) work()
    },
  }
  return state
}
