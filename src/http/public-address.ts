import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { type Forwarded, type IsProxy, readAddress, readForwarded } from './forwarded.ts'
import type { Mounted, PublicAddress, Reached } from './origin.ts'
import { headerOf } from './request-headers.ts'
import { isUrl } from '../lib/text/is-url.ts'

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
