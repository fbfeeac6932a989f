/** `SANDBOX_CALLBACK_REWRITE`: other hosts for callback addresses, as a container needs for `localhost`. */
import { isLoopback } from './loopback.ts'
import { isUrl } from '../lib/text/is-url.ts'

export interface Rewrite {
  readonly host: string
  /** Null: any port. */
  readonly port: string | null
  readonly toHost: string
  /** Null: the port stays. */
  readonly toPort: string | null
}

/**
 * Reads `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`; an empty text, or `none`, is no rewrite.
 * @throws Error that names the part refused
 */
export function parseRewrites(text: string): Rewrite[] {
  if (text === 'none') return []
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [from, to, ...rest] = part.split('=').map((side) => parseHost(side.trim()))
      if (from && to && rest.length === 0) return { ...from, toHost: to.host, toPort: to.port }
      throw new Error(
        `SANDBOX_CALLBACK_REWRITE has "${part}": each part must be host=host, with a port if wanted (localhost:80=host.docker.internal:8080)`,
      )
    })
}

/**
 * The address with the first rewrite that fits, or as it was; path and query stay. That of `localhost` fits every address
 * of the machine itself that has none of its own. Done before check and signature.
 */
export function applyRewrites(address: string, rewrites: readonly Rewrite[]): string {
  if (!isUrl(address)) return address
  const url = new URL(address)
  const host = plain(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const atPort = rewrites.filter((each) => each.port === null || each.port === port)
  const rewrite =
    atPort.find((each) => each.host === host) ??
    // Who says localhost means the machine, however an address spells it.
    (isLoopback(url.hostname) ? atPort.find((each) => each.host === 'localhost') : undefined)
  if (rewrite === undefined) return address
  url.hostname = rewrite.toHost
  if (rewrite.toPort !== null) url.port = rewrite.toPort
  return url.href
}

function parseHost(text: string): { host: string; port: string | null } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/i.exec(text)
  if (match?.[1] === undefined || !isUrl(`http://${text}/`)) return null
  return { host: plain(new URL(`http://${match[1]}/`).hostname), port: match[2] ?? null }
}

function plain(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** Scheme, host and port of an address as it is called; the text itself when it is no URL. */
export function targetOf(address: string, rewrites: readonly Rewrite[]): string {
  const called = applyRewrites(address, rewrites)
  return isUrl(called) ? new URL(called).origin : called
}
