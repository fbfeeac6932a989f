import type { Call } from '../http/handler.ts'
import { later } from '../lib/clock/clock.ts'
import { repeat } from '../lib/clock/after.ts'
import type { Caller, Look } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import type { Worlds } from '../worlds/registry.ts'

export type Waiting = Pick<Call, 'world' | 'caller' | 'left'>

/**
 * Resolves to the value that `listen` finds, or to undefined when the time is up or the client disconnects.
 * @param most - milliseconds of real time
 * @param listen - starts to listen; returns how to stop
 * @throws {ServiceError} 429 if too many requests wait in the world, 503 when the world is reset or removed
 * or the sandbox closes, 401 when the key is revoked
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

/** @param most - milliseconds. @param asked - the same as the request gives it */
export const inTime = (most: number, asked: string) => (most === 0 ? 'so far' : `within ${asked}`)

/** Milliseconds between two checks of a key. */
const OFTEN = 15_000

/**
 * Calls `lost` when a running request loses its access: the key is revoked or expires, or its user has no
 * role left.
 * @returns how to stop
 */
export function onAccessLost(
  { world, caller }: Pick<Call, 'world' | 'caller'>,
  worlds: Worlds,
  lost: (refusal: ServiceError) => void,
): () => void {
  const check = async () => {
    // A stream survives a reset, which replaces the world object.
    const why = await worlds.get(world.name)?.read((look) => whatIsMissing(look, caller, world.clock.wall()))
    if (why !== undefined) lost(new ServiceError('unauthenticated', why))
  }
  // A world that is being reset rejects the read. The check runs again after the reset.
  const look = () => void check().catch(() => {})
  look()
  const stops = [world.eventListeners.onAccessChange(look), repeat(OFTEN, look)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** @param wall - milliseconds of real time */
function whatIsMissing({ rows }: Look, caller: Caller, wall: number): string | undefined {
  const key = rows.get('apiKeys', caller.username.replace(/\+.*$/, ''))
  if (key?.user_id !== caller.user_id || key.revoked_at !== null)
    return `the key ${caller.username} was revoked while this request ran`
  if (key.expires_at !== undefined && key.expires_at <= wall)
    return `the key ${caller.username} expired while this request ran`
  if (rows.get('users', key.user_id)?.is_admin) return undefined
  const roles = rows.find('roles', 'user', key.user_id)
  return roles.length > 0 ? undefined : `user ${key.user_id} no longer has a role`
}
