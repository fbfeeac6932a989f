import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import { headerIn } from '../lib/text/headers.ts'
import { urlOf } from '../lib/text/is-url.ts'
import type { JournalEntry } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'
import {
  type Forwarded,
  type IsProxy,
  readAddress,
  readForwarded,
  type ClientAddress,
} from './client-address.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { RateLimited } from '../service/domain/errors.ts'
import { type Counters, type Counter, endOfWindow, MINUTE } from '../storage/engine/shared-state.ts'

/**
 * Returns a header of a request. For speed it reads Node's list: the request's `Headers` would copy all headers first.
 */
export function headerOf(c: Context, name: string): string | undefined {
  const incoming = incomingOf(c)
  return incoming ? headerIn(incoming.rawHeaders, name) : c.req.header(name)
}

/**
 * Returns names and values alternately, as Node.js received them; calls within the process have only parsed `Headers`.
 */
export function headersOf(c: Context): readonly string[] {
  const incoming = incomingOf(c)
  if (incoming) return incoming.rawHeaders
  const headers: string[] = []
  c.req.raw.headers.forEach((value, name) => headers.push(name, value))
  return headers
}

export const bearerOf = (c: Context): string | undefined => bearerIn(headerOf(c, 'authorization'))

export const bearerIn = (authorization = ''): string | undefined => /^bearer +(.+)$/i.exec(authorization)?.[1]

const BASIC = /^basic +([\w+/]+={0,2}) *$/i

/** The user name ends at the first colon; the password may contain more (RFC 7617). */
export function credentialsIn(header: string): { username: string; password: string } | undefined {
  const encoded = BASIC.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 || text.includes('\0')
    ? undefined
    : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** The environment of requests that arrive through a host application. */
export interface Mounted {
  /** Without a trailing slash. */
  readonly mounted_at: string
}

/** The environment of requests if clients use another address than the server listens at. */
export interface Reached {
  /** Returns the client's view of the address; undefined if only the request itself contains it. */
  readonly reached: (c: Context) => PublicAddress | undefined
}

export interface PublicAddress {
  /** Such as `https://pay.example.com`. */
  readonly origin: string
  /** A path such as `/sandbox` that a proxy removes; empty if there is none. */
  readonly path: string
}

/** What the server knows of a request; empty for calls within the process. */
export const connectionOf = (c: Context) =>
  (c.env ?? {}) as Partial<{ incoming: Incoming; outgoing: ServerResponse } & Mounted & Reached>

/** Returns the path below which clients find the sandbox; empty for the root. */
export function mountOf(c: Context): string {
  const { mounted_at = '', reached } = connectionOf(c)
  return reached ? (reached(c)?.path ?? mounted_at) : mounted_at
}

/** Returns the origin at which the client reached the sandbox, such as `http://127.0.0.1:8080`. */
export function originOf(c: Context): string {
  const found = connectionOf(c).reached?.(c)
  return found ? found.origin + found.path : ownOrigin(c) + mountOf(c)
}

/** Returns the same if the client cannot derive it from its request. */
export const elsewhereOf = (c: Context): string | undefined =>
  mountOf(c) !== '' || connectionOf(c).reached?.(c) ? originOf(c) : undefined

function ownOrigin(c: Context): string {
  const { url } = c.req
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 ? url : url.slice(0, path)
}

export const publicHostOf = (c: Context): string => new URL(originOf(c)).host

/**
 * Reads the public address from SANDBOX_PUBLIC_URL or else from trusted proxies; undefined without both.
 * @param publicUrl - without a trailing slash, such as `https://pay.example.com/sandbox`
 */
export function reachedAt(
  publicUrl: string | null,
  isProxy: IsProxy | undefined,
): Reached['reached'] | undefined {
  if (publicUrl !== null) {
    const { origin, pathname } = new URL(publicUrl)
    const address = { origin, path: pathname.replace(/\/+$/, '') }
    return () => address
  }
  return isProxy && ((c) => byProxies(c, isProxy))
}

function byProxies(c: Context, isProxy: IsProxy): PublicAddress | undefined {
  const { incoming, mounted_at = '' } = connectionOf(c)
  const peer = readAddress(incoming?.socket.remoteAddress ?? '')
  const said = peer && readForwarded(peer, (name) => headerOf(c, name), isProxy)
  if (!said) return undefined
  const own = new URL(c.req.url)
  const { proto = own.protocol.slice(0, -1), host = own.host, prefix = '' } = said
  const address = `${proto}://${withPort(host, said)}`
  const origin = urlOf(address)?.origin
  return origin === undefined ? undefined : { origin, path: prefix + mounted_at }
}

/** Some proxies send the port in a header of its own. */
const withPort = (host: string, { port }: Forwarded): string =>
  port === undefined || /:\d+$/.test(host) ? host : `${host}:${port}`

/** A request as Node.js received it. */
export type Incoming = IncomingMessage & {
  /** The body of a short request. */
  readonly rawBody?: Buffer
  /** The entry in the request log by the process that refused the request. */
  handedOver?: string
}

/**
 * Marks the response to a request that was refused because the process lost the world meanwhile. Contains the request's entry in
 * the request log.
 */
export const NOT_OWNER = 'sandbox-not-owner'

/** Whether a request has no body. */
export const isWithoutBody = ({ method, headers }: Incoming): boolean =>
  method === 'GET' ||
  method === 'HEAD' ||
  (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)

/** Whether another process may serve a request again. */
export const isRepeatable = (incoming: Incoming): boolean =>
  incoming.rawBody !== undefined || isWithoutBody(incoming)

export const incomingOf = (c: Context): Incoming | undefined => connectionOf(c).incoming

/** Leaves a request, and its entry in the request log, to the process that serves it instead of this one, if there is one. */
export function handOver(
  c: Context,
  journal: World['journal'],
  entry: JournalEntry | undefined,
): Promise<void> | undefined {
  const { incoming, outgoing } = connectionOf(c)
  if (!incoming || !outgoing?.hasHeader(NOT_OWNER) || !isRepeatable(incoming)) return undefined
  if (!entry?.id) return Promise.resolve()
  return journal.handOver?.(entry).then((handedOver) => void outgoing.setHeader(NOT_OWNER, handedOver))
}

export type CallerLimits = ReturnType<typeof callerLimits>

interface Guess {
  /** Undefined for a token. */
  readonly username?: string | undefined
}

/**
 * Failed attempts allowed per address at all user names, as a multiple of those at one name. A client that shares its
 * address with an attacker is locked out only if the attacks target its own user name or many names.
 */
const USERNAMES = 10
const LONGEST_USERNAME = 128

/**
 * Request limits per client address and per API key, across all worlds. Callers await returned promises: the count is
 * shared with other processes. All methods throw RateLimited.
 */
export function callerLimits(options: {
  /** Requests per minute; Infinity or null for no limit. */
  readonly perKey: number | null
  readonly perAddress: number
  readonly failures: number
  readonly addressOf: ClientAddress
  /**
   * Returns the address of a peer that forwards requests without being a trusted proxy; undefined where that is
   * expected.
   */
  readonly unnamedProxyOf?: ClientAddress | undefined
  readonly onUnnamedProxy?: (peer: string) => void
  readonly onLockOut?: (about: { readonly address: string; readonly username: string | undefined }) => void
  /** May be shared with other processes. */
  readonly counters: Counters
  readonly wall: Wall
}) {
  const { perKey, perAddress, failures, addressOf, counters, wall } = options
  const limit = (of: string, most: number | null, what: string) =>
    most === null || most === Infinity ? undefined : rateLimit(counters.open(of, { most }), most, wall, what)
  const keys = limit('key', perKey, 'requests a minute with this API key')
  const addresses = limit('address', perAddress, 'requests a minute from this address')
  const wrongs = 'requests a minute with wrong credentials from this address'
  const wrong = limit('guess', failures, `${wrongs} for this user name`)
  const wrongOfAll = limit('guess-any', failures * USERNAMES, wrongs)
  const nameOf = (address: string, { username = '' }: Guess) =>
    `${address} ${username.slice(0, LONGEST_USERNAME)}`
  const lockOut = (c: Context, guess: Guess) =>
    wrong && from(c, (address) => wrong.refusal(nameOf(address, guess)) ?? wrongOfAll!.refusal(address))
  const from = <T>(c: Context, counts: (address: string) => T): T | undefined => {
    const address = addressOf(c)
    return address === undefined ? undefined : counts(address)
  }
  return {
    arrive(c: Context): void | Promise<void> {
      const peer = options.unnamedProxyOf?.(c)
      if (peer !== undefined) options.onUnnamedProxy?.(peer)
      return addresses && from(c, (address) => addresses.take(address))
    },
    /** Whether the address has failed too often: only credentials known to be valid are then accepted. */
    isLockedOut: (c: Context, guess: Guess) => lockOut(c, guess) !== undefined,
    requireTrust(c: Context, guess: Guess): void {
      const refusal = lockOut(c, guess)
      if (!refusal) return
      options.onLockOut?.({ address: addressOf(c)!, username: guess.username })
      throw refusal
    },
    async failed(c: Context, guess: Guess): Promise<void> {
      if (!wrong) return
      await from(c, (address) =>
        Promise.all([wrong.count(nameOf(address, guess)), wrongOfAll!.count(address)]),
      )
    },
    useKey: (username: string) => keys?.take(username.split('+', 1)[0]!),
  }
}

/** Counts per name and minute (open-points, "General"). */
function rateLimit(counter: Counter, most: number, wall: Wall, what: string) {
  const refusalFor = (wait: number) => new RateLimited(`more than ${most} ${what}`, Math.ceil(wait / 1000))
  /** @param wait - milliseconds until the next minute; 0 if the count was not used up */
  const requireNone = (wait: number) => {
    if (wait > 0) throw refusalFor(wait)
  }
  return {
    /** @throws {RateLimited} if this minute's count is used up */
    take(name: string): void | Promise<void> {
      const wait = counter.take(name, wall())
      return typeof wait === 'number' ? requireNone(wait) : wait.then(requireNone)
    },
    /** Returns the error if this process knows that this minute's count is used up; counts nothing. */
    refusal(name: string): RateLimited | undefined {
      const now = wall()
      return counter.count(name, now) < most ? undefined : refusalFor(endOfWindow(now, MINUTE) - now)
    },
    /** Counts regardless of the limit and returns the new count. */
    count: (name: string): number | Promise<number> => counter.add(name, wall()),
  }
}

/** The errors with which fetches within the process are rejected. */
export const cuts = new WeakMap<Request, Error>()
