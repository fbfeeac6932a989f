import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { headerIn } from '../lib/text/header-in.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { type Forwarded, type IsProxy, readAddress, readForwarded } from './client-address.ts'

/** A header of a request. For speed it is taken from what Node parsed: the request's own `Headers` copies all of them first. */
export function headerOf(c: Context, name: string): string | undefined {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming ? headerIn(incoming.rawHeaders, name) : c.req.header(name)
}

/** The token that a request is sent with. */
export const bearerOf = (c: Context): string | undefined => bearerIn(headerOf(c, 'authorization'))

/** The token of a header `Authorization`. */
export const bearerIn = (authorization = ''): string | undefined => /^bearer +(.+)$/i.exec(authorization)?.[1]

/** What a request has in its environment that came through an application which mounts the sandbox. */
export interface Mounted {
  /** The path below which it is mounted, without a last slash. */
  readonly mounted_at: string
}

/** How clients reach the sandbox, in the environment of requests to one that is reached by another address than it listens at. */
export interface Reached {
  /** Where this client did; undefined where nothing but its request says so. */
  readonly reached: (c: Context) => PublicAddress | undefined
}

export interface PublicAddress {
  /** Such as `https://pay.example.com`. */
  readonly origin: string
  /** Such as `/sandbox`, which whoever passes requests on takes away; empty where there is none. */
  readonly path: string
}

const envOf = (c: Context) => (c.env ?? {}) as Partial<Mounted & Reached>

/** The path below which clients find the sandbox; empty where it is the root. */
export function mountOf(c: Context): string {
  const { mounted_at = '', reached } = envOf(c)
  return reached ? (reached(c)?.path ?? mounted_at) : mounted_at
}

/** Where the client reached the sandbox, such as `http://127.0.0.1:8080`. */
export function originOf(c: Context): string {
  const { reached } = envOf(c)
  const found = reached?.(c)
  return found ? found.origin + found.path : ownOrigin(c) + mountOf(c)
}

/** The same where a client cannot work it out from the path of its request; undefined where it can. */
export const elsewhereOf = (c: Context): string | undefined =>
  mountOf(c) !== '' || envOf(c).reached?.(c) ? originOf(c) : undefined

/** By the request itself. */
function ownOrigin(c: Context): string {
  const { url } = c.req
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 ? url : url.slice(0, path)
}

/** The host that a browser names as that of the sandbox's pages. */
export const publicHostOf = (c: Context): string => new URL(originOf(c)).host

interface Told {
  /** An address without a last slash, such as `https://pay.example.com/sandbox`. */
  readonly publicUrl: string | null
  readonly isProxy: IsProxy | undefined
}

/** How clients reach the sandbox: by SANDBOX_PUBLIC_URL, else by what trusted proxies say; undefined when there is neither. */
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
  if (!isUrl(address)) return undefined
  return { origin: new URL(address).origin, path: prefix + mounted_at }
}

/** Some proxies name the port by itself, and the host without. */
const withPort = (host: string, { port }: Forwarded): string =>
  port === undefined || /:\d+$/.test(host) ? host : `${host}:${port}`
