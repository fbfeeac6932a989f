import { repeat } from '../lib/clock/after.ts'
import { later, pause, systemWall } from '../lib/clock/clock.ts'

/** Milliseconds between two looks at the clock, and those of a delay that counts as a stall. */
const LOOK = 20
const LEAST = 10

/** Measures when this process stands still, such as on a busy machine, until `stop`. */
export function watchStalls() {
  const stalls: { readonly from: number; readonly to: number }[] = []
  let due = systemWall() + LOOK
  const stop = repeat(LOOK, () => {
    const now = systemWall()
    if (now - due >= LEAST) stalls.push({ from: due, to: now })
    due = now + LOOK
  })
  /** Returns the milliseconds of each stall in a time span. */
  const within = (from: number, to: number): readonly number[] =>
    stalls.map((each) => Math.min(each.to, to) - Math.max(each.from, from)).filter((ms) => ms > 0)
  return {
    stop,
    longest: (from: number) => Math.max(0, ...within(from, Infinity)),
    total: (from: number, to: number) => within(from, to).reduce((sum, ms) => sum + ms, 0),
  }
}

/** Resolves to the result of `work`, or to `undefined` as soon as the signal is aborted. A late result is discarded. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  let stop = () => {}
  const aborted = new Promise<undefined>((resolve) => {
    const end = () => resolve(undefined)
    signal.addEventListener('abort', end)
    stop = () => signal.removeEventListener('abort', end)
    if (signal.aborted) end()
  })
  try {
    return await Promise.race([work, aborted])
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    stop()
    work.catch(() => {})
  }
}

/** Resolves to the result of `work`, or to `undefined` if it takes longer than `ms`. A late result is discarded. */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const limit = new AbortController()
  // Unlike AbortSignal.timeout, it keeps the process alive.
  const stop = later(ms, () => limit.abort())
  return unlessAborted(limit.signal, work).finally(stop)
}

/** Calls `ask` until it returns a value or `ms` have passed. @param every milliseconds between calls */
export async function until<T>(
  ms: number,
  ask: () => Promise<T | undefined>,
  every = 20,
): Promise<T | undefined> {
  const end = systemWall() + ms
  for (let gap = every; ; gap = Math.min(gap * 1.5, 250)) {
    const found = await ask()
    if (found !== undefined) return found
    if (systemWall() >= end) return undefined
    await pause(gap)
  }
}
