import type { Context } from 'hono'
import { later } from '../clock.ts'
import type { Env } from '../http/env.ts'
import { onAccessLost } from './access-lost.ts'

/**
 * Waits for what `listen` finds; undefined when the time is over or the client has left.
 * @param most milliseconds on the wall
 * @param listen begins to look; returns how to stop
 * @throws ServiceError 429 when too many wait in the world already; 503 as soon as the world is reset or removed, or the sandbox is
 * closed; 401 once the key is revoked
 */
export function waitIn<T>(
  c: Context<Env>,
  most: number,
  listen: (found: (value: T) => void, failed: (error: Error) => void) => () => void,
): Promise<T | undefined> {
  const stops = [c.var.world.budget.begin('waiters')]
  const left = c.req.raw.signal
  return new Promise<T | undefined>((resolve, reject) => {
    const leave = () => resolve(undefined)
    left.addEventListener('abort', leave)
    stops.push(
      () => left.removeEventListener('abort', leave),
      later(most, leave),
      c.var.world.onEnd(reject),
      onAccessLost(c, reject),
      listen(resolve, reject),
    )
  }).finally(() => {
    for (const stop of stops) stop()
  })
}

/** How long was waited, in a sentence; `most` in milliseconds, and as it was asked for. */
export const inTime = (most: number, asked: string) => (most === 0 ? 'so far' : `within ${asked}`)
