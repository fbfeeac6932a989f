/** Authenticates the caller and checks permissions, before anything else of the request is read. */
import type { Context } from 'hono'
import { mayOnlyRead, requireMoreThanReading, requireOwner } from '../service/domain/access.ts'
import type { Look } from '../service/domain/context.ts'
import { invalid, ServiceError, Unauthenticated } from '../service/domain/errors.ts'
import { LOOP_HEADER, LOOP_MARK } from '../service/domain/callbacks.ts'
import { redactForReaders } from '../lib/log/redact.ts'
import type { Moment } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import type { Principal } from '../worlds/credentials.ts'
import type { Worlds } from '../worlds/registry.ts'
import { refuseForeignOrigin } from './admin-guard.ts'
import { adminActor, keyActor } from './audit.ts'
import { type CallerLimits, bearerOf, credentialsIn, headerOf } from './caller.ts'
import type { Exchange } from './exchange.ts'
import { requireNoNulIn } from './read-request.ts'
import type { Route } from './route-binding.ts'
import type { Dependencies } from './dependencies.ts'

/**
 * Finds the caller and the world of a request, counts the request, and checks that the caller may use the route.
 * @throws {ServiceError} 400, 401, 403, 429, 503
 */
export const authorize: Step = (exchange, route, dependencies) => {
  refuseOwnCallback(exchange.c, route)
  return inOrder(arriving, exchange, route, dependencies)
}

const arriving: readonly Step[] = [({ c }, _, { callers }) => callers.arrive(c), admit]

function admit(exchange: Exchange, route: Route, dependencies: Dependencies): void | Promise<void> {
  const { c } = exchange
  const { worlds } = dependencies
  requireNoNulIn(c.req.url)
  if (route.api === 'admin') return admitAdmin(exchange, route, dependencies)
  if (route.api === 'control' && c.req.method !== 'GET') refuseForeignOrigin(c, dependencies.corsOrigins)
  if (route.open && c.req.header('authorization') === undefined) return exchange.visit(worlds)
  if (route.signsUp) return admitGuest(exchange, dependencies)
  const admitCaller = (principal: Principal) => {
    exchange.identify(principal)
    if (route.api === 'service') exchange.record(route.id)
    return inOrder(identified, exchange, route, dependencies)
  }
  const header = headerOf(c, 'authorization')
  // Credentials that were valid before need no waiting.
  const principal = header === undefined ? undefined : worlds.recognize(header, credentialsIn)
  return principal
    ? admitCaller(principal)
    : authenticate(c, dependencies, exchange.arrived).then(admitCaller)
}

async function admitAdmin(exchange: Exchange, { isAudited }: Route, dependencies: Dependencies) {
  const { c } = exchange
  const name = await counted(c, dependencies.callers, () => dependencies.admin(c))
  if (isAudited) exchange.auditAs(adminActor(name, dependencies.auditedAs(c)))
}

async function admitGuest(exchange: Exchange, { callers, guests, worlds }: Dependencies): Promise<void> {
  const { c } = exchange
  await counted(c, callers, () => guests.requireSignUp(bearerOf(c)))
  exchange.visit(worlds)
}

const identified: readonly Step[] = [
  ({ caller, world }, _, { callers }) => {
    const key = callers.useKey(caller.username)
    const request = world.budget.take('requests')
    return key || request ? Promise.all([key, request]) : undefined
  },
  ({ world }, { grows }, { worlds }) => grows && requireRoom(world, worlds),
  (exchange, { needs }) => needs !== 'nothing' && requireRole(exchange, needs),
  (exchange, { isAudited }, dependencies) => isAudited && auditKey(exchange, dependencies),
]

/** Part of serving a request. Returns a promise only if it has to wait. */
export type Step = (exchange: Exchange, route: Route, dependencies: Dependencies) => unknown

/** Runs steps one after another. Returns a promise only from the first step that waits. */
export function inOrder(
  steps: readonly Step[],
  exchange: Exchange,
  route: Route,
  dependencies: Dependencies,
): void | Promise<void> {
  for (let n = 0; n < steps.length; n += 1) {
    const waiting = steps[n]!(exchange, route, dependencies)
    if (waiting instanceof Promise)
      return waiting.then(() => inOrder(steps.slice(n + 1), exchange, route, dependencies))
  }
}

/** @throws {ServiceError} 429 or 503 if the world or the process has no room for more rows */
export function requireRoom(world: World, { memory }: Worlds): void {
  world.budget.require('rows', world.bytes - world.inboxBytes)
  memory.requireRoom()
}

/**
 * Rejects callbacks of a sandbox: a `callback_url` that leads to an operation with another callback would cause an
 * endless loop.
 * @throws {ServiceError} 400 for an operation of the service, 403 for the sandbox's own API
 */
function refuseOwnCallback(c: Context, { api, needs, signsUp }: Route): void {
  if (c.req.method === 'GET' || (api === 'control' && needs === 'reading' && !signsUp)) return
  const value = headerOf(c, LOOP_HEADER)
  if (value === undefined || !isMarked(value)) return
  const why = `${c.req.path} accepts no callbacks of a sandbox (${LOOP_HEADER}: ${LOOP_MARK}): callback_url must be the URL of your receiver, or of an inbox (GET /sandbox/inbox/{name})`
  throw api === 'service' ? invalid(why) : new ServiceError('permission_denied', why)
}

/** Proxies append marks and parameters of their own (RFC 8586, section 2). */
const isMarked = (value: string) =>
  value.split(',').some((each) => each.split(';')[0]!.trim().toLowerCase() === LOOP_MARK)

/**
 * Hides from viewers what requires another role.
 * @throws {ServiceError} 403
 */
function requireRole(exchange: Exchange, needs: Exclude<Route['needs'], 'nothing'>): void | Promise<void> {
  const { caller } = exchange
  const check = (look: Look) => {
    if (needs === 'owner') requireOwner(look, caller)
    else if (needs === 'more than reading') requireMoreThanReading(look, caller)
    else if (mayOnlyRead(look, caller)) exchange.shown = redactForReaders
  }
  return exchange.world.read(check, exchange.arrived)
}

/** Reads the key's name for the audit before the request, which may delete the key or the world. */
async function auditKey(exchange: Exchange, { auditedAs }: Dependencies): Promise<void> {
  const { world, caller, c, arrived } = exchange
  exchange.auditAs(await world.read((look) => keyActor(look, world, caller, auditedAs(c)), arrived))
}

type Credentials = Pick<Dependencies, 'worlds' | 'callers'>

/**
 * Returns the world and user of a request's credentials (specification 5) and counts failed attempts.
 * @throws {ServiceError} 401, with the same message for all invalid credentials; 429 after too many attempts
 */
export async function authenticate(c: Context, serving: Credentials, since?: Moment): Promise<Principal> {
  const known = await findCaller(c, serving, since)
  if (known) return known
  const credentials = credentialsOf(c)
  // Sent whether or not the world exists, so that the message does not reveal it.
  const disposable = credentials?.username.includes('+')
    ? '; a world of the form name+anything begins with the first request of its owner'
    : ''
  const hint = credentials && (await serving.worlds.endOf(credentials.username, credentials.password))
  throw new Unauthenticated(
    `missing or invalid credentials: send Authorization: Basic base64(API_USERNAME:API_PASSWORD)${disposable}`,
    hint,
  )
}

/**
 * Returns the world and user of a request's credentials, or undefined if they are missing or invalid, which counts as a
 * failed attempt. After too many attempts, only a password that was valid before is accepted, because it needs no hash.
 * @throws {RateLimited} after too many attempts
 */
export async function findCaller(
  c: Context,
  { worlds, callers }: Credentials,
  since?: Moment,
): Promise<Principal | undefined> {
  if (headerOf(c, 'authorization') === undefined) return undefined
  const credentials = credentialsOf(c)
  const guess = { username: credentials?.username }
  const onlyKnown = callers.isLockedOut(c, guess)
  const known =
    credentials && (await worlds.authenticate(credentials.username, credentials.password, since, onlyKnown))
  if (known) return known
  callers.requireTrust(c, guess)
  await callers.failed(c, guess)
  return undefined
}

/**
 * Runs a token check and counts a 401 as a failed attempt. Valid tokens pass despite earlier failures from the same
 * address.
 * @throws {RateLimited} after too many attempts
 */
export async function counted<T>(
  c: Context,
  callers: CallerLimits,
  work: () => T | Promise<T>,
  hasToken = headerOf(c, 'authorization') !== undefined,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (hasToken && error instanceof ServiceError && error.code === 'unauthenticated') {
      callers.requireTrust(c, {})
      await callers.failed(c, {})
    }
    throw error
  }
}

export function credentialsOf(c: Context): { username: string; password: string } | undefined {
  const header = headerOf(c, 'authorization')
  return header === undefined ? undefined : credentialsIn(header)
}
