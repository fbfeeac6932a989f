import { later } from '../clock.ts'
import type { World } from '../worlds/world.ts'

/**
 * Waits for what `listen` finds; undefined when the time is over or the client has left.
 * @param most milliseconds on the wall
 * @param listen begins to look; returns how to stop
 * @throws ServiceError 429 when too many wait in the world already; 503 as soon as the world is reset or removed, or the sandbox is closed
 */
export function waitIn<T>(
  world: World,
  most: number,
  left: AbortSignal,
  listen: (found: (value: T) => void, failed: (error: Error) => void) => () => void,
): Promise<T | undefined> {
  const stops = [world.budget.begin('waiters')]
  return new Promise<T | undefined>((resolve, reject) => {
    const leave = () => resolve(undefined)
    left.addEventListener('abort', leave)
    stops.push(
      () => left.removeEventListener('abort', leave),
      later(most, leave),
      world.onEnd(reject),
      listen(resolve, reject),
    )
  }).finally(() => {
    for (const stop of stops) stop()
  })
}

/** How long was waited, in a sentence; `most` in milliseconds, and as it was asked for. */
export const inTime = (most: number, asked: string) => (most === 0 ? 'so far' : `within ${asked}`)
