import { monitorEventLoopDelay } from 'node:perf_hooks'
import { later, pause, systemWall } from '../lib/clock/clock.ts'

/** Returns a function that returns for how long this process stood still at most since the call, milliseconds. */
export function measureStalls(): () => number {
  const delay = monitorEventLoopDelay()
  delay.enable()
  return () => {
    delay.disable()
    return delay.max / 1e6
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
