import { later } from '../lib/clock/clock.ts'
import type { Call } from '../http/handler.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { onAccessLost } from './access-lost.ts'

/** Who waits, and where. */
export type Waiting = Pick<Call, 'world' | 'caller' | 'left'>

/**
 * Waits for what `listen` finds; undefined when the time is over or the client has left.
 * @param most milliseconds on the wall
 * @param listen begins to look; returns how to stop
 * @throws ServiceError 429 when too many wait in the world already; 503 as soon as the world is reset or removed, or the sandbox is
 * closed; 401 once the key is revoked
 */
export function waitIn<T>(
  call: Waiting,
  worlds: Worlds,
  most: number,
  listen: (found: (value: T) => void, failed: (error: Error) => void) => () => void,
): Promise<T | undefined> {
  const stops = [call.world.budget.begin('waiters')]
  const { left } = call
  return new Promise<T | undefined>((resolve, reject) => {
    const leave = () => resolve(undefined)
    left.addEventListener('abort', leave)
    stops.push(
      () => left.removeEventListener('abort', leave),
      later(most, leave),
      call.world.onEnd(reject),
      onAccessLost(call, worlds, reject),
      listen(resolve, reject),
    )
  }).finally(() => {
    for (const stop of stops) stop()
  })
}

/** How long was waited, in a sentence; `most` in milliseconds, and as it was asked for. */
export const inTime = (most: number, asked: string) => (most === 0 ? 'so far' : `within ${asked}`)
