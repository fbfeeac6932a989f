import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { headerIn } from '../lib/text/headers.ts'
import { urlOf } from '../lib/text/is-url.ts'
import type { JournalEntry } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'
import { type Forwarded, type IsProxy, readAddress, readForwarded } from './client-address.ts'

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

const envOf = (c: Context) => (c.env ?? {}) as Partial<Mounted & Reached>

/** Returns the path below which clients find the sandbox; empty for the root. */
export function mountOf(c: Context): string {
  const { mounted_at = '', reached } = envOf(c)
  return reached ? (reached(c)?.path ?? mounted_at) : mounted_at
}

/** Returns the origin at which the client reached the sandbox, such as `http://127.0.0.1:8080`. */
export function originOf(c: Context): string {
  const { reached } = envOf(c)
  const found = reached?.(c)
  return found ? found.origin + found.path : ownOrigin(c) + mountOf(c)
}

/** Returns the same if the client cannot derive it from its request. */
export const elsewhereOf = (c: Context): string | undefined =>
  mountOf(c) !== '' || envOf(c).reached?.(c) ? originOf(c) : undefined

function ownOrigin(c: Context): string {
  const { url } = c.req
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 ? url : url.slice(0, path)
}

export const publicHostOf = (c: Context): string => new URL(originOf(c)).host

interface Told {
  /** Without a trailing slash, such as `https://pay.example.com/sandbox`. */
  readonly publicUrl: string | null
  readonly isProxy: IsProxy | undefined
}

/** Reads the public address from SANDBOX_PUBLIC_URL or else from trusted proxies; undefined without both. */
export function reachedAt({ publicUrl, isProxy }: Told): Reached['reached'] | undefined {
  if (publicUrl !== null) {
    const { origin, pathname } = new URL(publicUrl)
    const address = { origin, path: pathname.replace(/\/+$/, '') }
    return () => address
  }
  return isProxy && ((c) => byProxies(c, isProxy))
}

function byProxies(c: Context, isProxy: IsProxy): PublicAddress | undefined {
  const { incoming, mounted_at = '' } = (c.env ?? {}) as Partial<HttpBindings & Mounted>
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

/** Whether another process may serve a request again. */
export const isRepeatable = ({ method, rawBody }: Incoming): boolean =>
  rawBody !== undefined || method === 'GET' || method === 'HEAD'

export const incomingOf = (c: Context): Incoming | undefined =>
  (c.env as { readonly incoming?: Incoming } | undefined)?.incoming

/** Leaves an entry of the request log to the process that serves the request instead of this one, if there is one. */
export function handOver(
  c: Context,
  journal: World['journal'],
  entry: JournalEntry,
): Promise<void> | undefined {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  if (!incoming || !outgoing?.hasHeader(NOT_OWNER) || !isRepeatable(incoming)) return undefined
  return journal.handOver?.(entry).then((handedOver) => void outgoing.setHeader(NOT_OWNER, handedOver))
}
