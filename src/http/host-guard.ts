import { isIP } from 'node:net'

/** The names a sandbox is called by beside those that are always its own; `*` for every name. */
type AllowedHosts = readonly string[] | '*'

/** Whether a host name is the sandbox's: one that was configured, or one that no name server of a stranger can answer for. */
export type IsOurs = (name: string) => boolean

const INNER = /\.(localhost|internal|test|local|svc|home\.arpa|cluster\.local)$/i

/** @param named in a setting; one that begins with `*.` stands for every name below */
export function oursBy(named: readonly string[]): IsOurs {
  const names = new Set(named.filter((each) => !each.startsWith('*.')).map((each) => each.toLowerCase()))
  const below = named.filter((each) => each.startsWith('*.')).map((each) => each.slice(1).toLowerCase())
  return (name) => {
    const host = name.toLowerCase().replace(/\.$/, '')
    if (isIP(host) !== 0 || !host.includes('.') || INNER.test(host)) return true
    return names.has(host) || below.some((end) => host.endsWith(end))
  }
}

/** The name in a Host header, without the port. */
export const nameIn = (host: string) => host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')

/** Why a request with this Host header is refused; undefined when it is not. */
export type HostGuard = (host: string | undefined) => string | undefined

/**
 * Holds that a web page does not reach a sandbox on its reader's machine by a name of its own which leads there (DNS
 * rebinding): to the browser that page would be of the sandbox's origin.
 */
export function hostGuard(allowed: AllowedHosts, isOurs: IsOurs): HostGuard | undefined {
  if (allowed === '*') return undefined
  // For speed: nearly all requests bring one of very few names.
  const passed = new Set<string>()
  return (host) => {
    if (host === undefined || passed.has(host)) return undefined
    const name = nameIn(host)
    if (!isOurs(name))
      return `this sandbox is not served as ${name}: call it by an address or a name such as localhost, or allow this one with SANDBOX_ALLOWED_HOSTS=${name} (a list, or * for every name), also where a proxy in front passes the name on`
    if (passed.size >= 100) passed.clear()
    passed.add(host)
    return undefined
  }
}
