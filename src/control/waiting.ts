import type { Call } from '../http/handler.ts'
import { later } from '../lib/clock/clock.ts'
import { repeat } from '../lib/clock/repeat.ts'
import type { Caller, Look } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import type { Worlds } from '../worlds/registry.ts'

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

/** Milliseconds between two looks at whether a key has ended. */
const OFTEN = 15_000

/**
 * For requests that go on after they were let in: tells when they would not be let in any more, since the key was revoked or has
 * ended, or its user holds no role any more.
 * @param lost told why, as a refusal
 * @returns how to stop
 */
export function onAccessLost(
  { world, caller }: Pick<Call, 'world' | 'caller'>,
  worlds: Worlds,
  lost: (refusal: ServiceError) => void,
): () => void {
  const check = async () => {
    // Streams outlive a reset, which puts another world in the place of this one.
    const why = await worlds.get(world.name)?.read((look) => whatIsMissing(look, caller, world.clock.wall()))
    if (why !== undefined) lost(new ServiceError('unauthenticated', why))
  }
  // A world that is reset just now refuses to be read, and has its keys looked at again when it is done.
  const look = () => void check().catch(() => {})
  look()
  const stops = [world.events.onAccessChange(look), repeat(OFTEN, look)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** @param wall milliseconds */
function whatIsMissing({ rows }: Look, caller: Caller, wall: number): string | undefined {
  const key = rows.get('apiKeys', caller.username.replace(/\+.*$/, ''))
  if (key?.user_id !== caller.user_id || key.revoked_at !== null)
    return `the key ${caller.username} was revoked while this request ran`
  if (key.expires_at !== undefined && key.expires_at <= wall)
    return `the key ${caller.username} came to its end while this request ran`
  if (rows.get('users', key.user_id)?.is_admin) return undefined
  const roles = rows.find('roles', 'user', key.user_id)
  return roles.length > 0 ? undefined : `user ${key.user_id} holds no role any more`
}
