import type { Context } from 'hono'
import { mayOnlyRead, requireMoreThanReading, requireOwner } from '../domain/access.ts'
import type { Look } from '../domain/context.ts'
import { ServiceError } from '../domain/errors.ts'
import { hideAddresses, redactForReaders, redactText } from '../log/redact.ts'
import type { Library } from '../scenarios/library.ts'
import type { World } from '../worlds/world.ts'
import type { Known, Worlds } from '../worlds/worlds.ts'
import { type AdminGuard, refuseForeignOrigin } from './admin-guard.ts'
import { authenticate, recognize } from './authenticate.ts'
import type { Bound } from './bound.ts'
import type { CallerLimits } from './caller-limits.ts'
import type { Disturbance } from './disturbance.ts'
import type { Env } from './env.ts'
import { headerOf } from './header-in.ts'
import { openEntry } from './journal.ts'
import { refuseOwnCallback } from './own-callback.ts'
import type { Stage } from './play.ts'
import type { Process } from './process.ts'
import type { Logged } from './request-log.ts'

/** What stands before every handler. */
export interface Access {
  readonly logged: Logged
  readonly process: Process
  readonly worlds: Worlds
  readonly callers: CallerLimits
  readonly admin: AdminGuard
  readonly disturbance: Disturbance
  /** Whether answers have the headers that begin with `Sandbox-`. */
  readonly headers: boolean
  readonly library: () => Library
  /** Where scenarios are played in front of the handlers; undefined: they are not. */
  readonly stage?: Stage | undefined
}

/**
 * Whoever may not is told so before anything of the request is looked at.
 * @returns what there is to wait for, if anything
 * @throws ServiceError 401, 403, 429, at once or in what is returned
 */
export function admit(c: Context<Env>, access: Access, bound: Bound): Promise<void> | undefined {
  refuseOwnCallback(c, bound)
  c.set('library', access.library)
  if (bound.kind !== 'service') c.set('process', access.process)
  access.callers.arrive(c)
  access.callers.requireTrust(c)
  if (bound.kind === 'admin') return void admitAdmin(c, access)
  if (bound.kind === 'control' && c.req.method !== 'GET') refuseForeignOrigin(c)
  const header = headerOf(c, 'authorization')
  const known = recognize(access.worlds, header)
  if (known) return enter(c, access, bound, known)
  return authenticate(access.worlds, header).then(
    (found) => enter(c, access, bound, found),
    (error: unknown) => {
      noteFailure(c, access, error)
      throw error
    },
  )
}

function admitAdmin(c: Context<Env>, access: Access): void {
  try {
    access.admin(c)
  } catch (error) {
    noteFailure(c, access, error)
    throw error
  }
}

function noteFailure(c: Context<Env>, { callers }: Access, error: unknown): void {
  if (error instanceof ServiceError && error.code === 'unauthenticated') callers.failed(c)
}

/** What there is to wait for before a caller who is known gets on, if anything. */
function enter(
  c: Context<Env>,
  access: Access,
  bound: Bound,
  { world, caller }: Known,
): Promise<void> | undefined {
  c.set('world', world)
  c.set('caller', caller)
  if (bound.kind === 'service') openEntry(c, bound.id, access.headers)
  access.callers.useKey(caller.username)
  world.budget.take('requests')
  if (bound.grows) requireRoom(world, access.worlds)
  if (bound.needs === 'owner') return world.read((look) => requireOwner(look, caller))
  if (bound.needs === 'more than reading') return world.read((look) => requireMoreThanReading(look, caller))
  if (bound.needs === 'reading') return world.read((look) => hideFromReaders(c, look))
  return bound.kind === 'service' ? access.disturbance.meet() : undefined
}

/** Who may only read is not shown what one could do more with. */
function hideFromReaders(c: Context<Env>, look: Look): void {
  if (!mayOnlyRead(look, c.get('caller'))) return
  c.set('shown', redactForReaders)
  const { json, text } = c
  c.text = ((shown: string, ...rest: []) =>
    text.call(c, hideAddresses(redactText(shown)), ...rest)) as typeof c.text
  c.json = ((body: unknown, ...rest: []) =>
    json.call(c, JSON.parse(JSON.stringify(body, redactForReaders)), ...rest)) as typeof c.json
}

/** For a request that adds to a world. @throws ServiceError 429 or 503 when there is no room for more */
export function requireRoom(world: World, { memory }: Worlds): void {
  world.budget.require('rows', world.bytes)
  memory.requireRoom()
}
