/** Restricts the targets of callbacks. The check uses the address of the actual connection. */
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isUrl } from '../lib/text/is-url.ts'
import type { Look } from '../service/domain/context.ts'
import { CALLBACK_TARGETS } from '../worlds/settings.ts'

export type TargetMode = 'local' | 'hosted'

/** A forbidden target. The message contains the reason and the remedy. */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED'
  override readonly name = 'TargetRefused'
}

const REMEDY =
  'use an address the internet can reach (a tunnel to your machine is one), or run the sandbox yourself with SANDBOX_MODE=local'

/** Suffixes of private names (RFC 6761, RFC 6762, RFC 8375, and internal names of clouds). */
const INNER_NAMES = ['localhost', 'local', 'internal', 'home.arpa', 'localdomain', 'lan', 'intranet', 'corp']

/**
 * Checks an address as far as possible without resolving its name. Spellings of IP addresses (decimal, octal, hexadecimal, short,
 * full-width digits) are parsed by the URL standard, as they are when connecting.
 * @param mode - `local` only requires http or https; `hosted` also requires a public target.
 * @throws TargetRefused
 */
export function checkTarget(address: string, mode: TargetMode, ports: readonly number[] | '*' = '*'): URL {
  if (!isUrl(address)) {
    throw new TargetRefused(`callback address "${address}" is not a URL: use http://… or https://…`)
  }
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TargetRefused(
      `callback address "${address}" has the scheme ${url.protocol} use http: or https:`,
    )
  }
  checkPort(url, ports)
  if (mode === 'local') return url
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefused(
      `callback address on ${url.host} contains credentials: remove the part before the @ and verify the signature instead`,
    )
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) checkName(host)
  else refuseInner(host, host)
  return url
}

function checkPort({ host, port, protocol }: URL, ports: readonly number[] | '*'): void {
  const called = Number(port || (protocol === 'https:' ? 443 : 80))
  if (ports === '*' || ports.includes(called)) return
  throw new TargetRefused(
    `callback address on ${host} has the port ${called}, which this sandbox does not call: use ${ports.join(', ')}, or have its operator add ${called} to SANDBOX_CALLBACK_PORTS`,
  )
}

function checkName(host: string): void {
  // The look-behind avoids quadratic backtracking over many dots.
  const name = host.replace(/(?<!\.)\.+$/, '').toLowerCase()
  if (!name.includes('.') || INNER_NAMES.some((inner) => name === inner || name.endsWith(`.${inner}`))) {
    throw new TargetRefused(
      `callback host "${host}" is a name of an inner network, which a hosted sandbox does not call: ${REMEDY}`,
    )
  }
}

function refuseInner(host: string, address: string): void {
  const range = forbiddenRange(address)
  if (range === null) return
  const what =
    host === address ? `callback host ${host}` : `callback host ${host} resolves to ${address}, which`
  throw new TargetRefused(
    `${what} is ${article(range)} ${range} address; a hosted sandbox does not call those: ${REMEDY}`,
  )
}

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

/**
 * Returns the `lookup` option for requests of `node:http` in hosted mode. The connection uses the checked addresses, so a name cannot
 * change between check and connection. One forbidden address rejects the name. Hosts that are addresses are checked by `checkTarget`.
 */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return lookupOver(resolve, refuseInner)
}

/** The same for local mode, without restrictions. */
export function openLookup(resolve: Resolve): LookupFunction {
  return lookupOver(resolve, () => {})
}

function lookupOver(resolve: Resolve, refuse: (host: string, address: string) => void): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname)
      .then((addresses) => {
        for (const { address } of addresses) refuse(hostname, address)
        return ofFamily(addresses, options.family)
      })
      .then(
        (addresses) => {
          const [first] = addresses
          if (first === undefined) callback(notFound(hostname), '')
          else if (options.all) callback(null, [...addresses])
          else callback(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      )
  }
}

function ofFamily(addresses: readonly ResolvedAddress[], family: unknown): readonly ResolvedAddress[] {
  const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family
  return wanted === 4 || wanted === 6 ? addresses.filter((each) => each.family === wanted) : addresses
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(
    new Error(`callback host ${hostname} has no address: check the name in callback_url`),
    {
      code: 'ENOTFOUND',
    },
  )
}

const article = (word: string) => (/^[aeiou]/i.test(word) ? 'an' : 'a')

/** The library's names of ranges, as messages show them. */
const WORDS: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  multicast: 'multicast',
  broadcast: 'broadcast',
  ipv4Mapped: 'IPv4-mapped',
  rfc6145: 'IPv4-translated',
  rfc6052: 'NAT64',
  '6to4': '6to4',
  teredo: 'Teredo',
}

/** Metadata services of clouds. */
const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  // Azure, in a public range.
  '168.63.129.16',
])

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns the forbidden range of an address for a message, or null for a public address. Refuses all IPv6 that embeds IPv4
 * (mapped, NAT64, 6to4, Teredo).
 * @param address from a resolver or `URL.hostname` without brackets; a zone id is allowed
 */
function forbiddenRange(address: string): string | null {
  if (!ipaddr.isValid(address)) return 'unreadable'
  const parsed = ipaddr.parse(address)
  if (METADATA.has(parsed.toString())) return 'cloud metadata'
  const range = parsed.range()
  if (range !== 'unicast') return WORDS[range] ?? 'reserved'
  return parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_IPV6) ? 'reserved' : null
}

/** A verified origin. Times are real time in milliseconds. */
export interface VerifiedTarget {
  readonly origin: string
  readonly verified_at: number
  readonly expires_at: number
}

/** Returns the verified receivers of a world, including expired ones. */
export const verifiedIn = ({ rows }: Look): readonly VerifiedTarget[] =>
  (rows.get('state', CALLBACK_TARGETS)?.value ?? []) as readonly VerifiedTarget[]

/** @throws TargetRefused if the receiver was not verified, or the verification has expired */
export function requireVerified(url: string, verified: readonly VerifiedTarget[], now: number): void {
  const { origin } = new URL(url)
  const found = verified.find((each) => each.origin === origin)
  if (found && found.expires_at > now) return
  throw new TargetRefused(
    `${origin} ${found ? 'was not verified within 90 days' : 'was not verified'} as a callback target of this world (SANDBOX_CALLBACK_TARGETS is verified): POST /sandbox/callback-targets with {"url": "${origin}"}, then resend this callback with POST /sandbox/callbacks/{id}/resend`,
  )
}
