/** The shop's time. A parameter, so that a test need not wait for a shop that is patient. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Fulfilled after so many milliseconds; rejected when the signal says that nobody waits any more. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The wall's, or one that runs so many times as fast. */
export function clockOf(speed = 1): Clock {
  const began = Date.now()
  return {
    now: () => began + (Date.now() - began) * speed,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const give = () => (clearTimeout(timer), reject(signal!.reason as Error))
        const timer = setTimeout(() => (signal?.removeEventListener('abort', give), resolve()), ms / speed)
        timer.unref()
        signal?.addEventListener('abort', give)
      }),
  }
}

/** One that stands still until it is moved. */
export function virtualClock(now = Date.parse('2026-06-13T12:00:00Z')) {
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const give = () => (sleepers.delete(sleeper), reject(signal!.reason as Error))
        const wake = () => (signal?.removeEventListener('abort', give), resolve())
        const sleeper = { at: now + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', give)
      }),
    /** Moves it on, and wakes whoever is due on the way, one after another. */
    async advance(ms: number, settled: () => Promise<unknown>) {
      const end = now + ms
      for (;;) {
        await settled()
        const [next] = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        sleepers.delete(next)
        now = Math.max(now, next.at)
        next.wake()
      }
      now = end
    },
  } satisfies Clock & Record<string, unknown>
}
