/** The targets of callbacks: rewriting of hosts, as containers need it, and restrictions, which apply to the actual connection. */
import { existsSync, readFileSync } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isLoopback, isUrl, urlOf } from '../lib/text/is-url.ts'
import type { Look } from '../service/domain/context.ts'
import { CALLBACK_TARGETS } from '../worlds/settings.ts'
import type { FailureMessage } from './failure-messages.ts'

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
export function checkTarget(address: string, mode: TargetMode, ports: readonly number[] | '*' = '*'): void {
  const url = urlOf(address)
  if (!url) throw new TargetRefused(`callback address "${address}" is not a URL: use http://… or https://…`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TargetRefused(
      `callback address "${address}" has the scheme ${url.protocol} use http: or https:`,
    )
  checkPort(url, ports)
  if (mode === 'local') return
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefused(
      `callback address on ${url.host} contains credentials: remove the part before the @ and verify the signature instead`,
    )
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) checkName(host)
  else refuseInner(host, host)
}

function checkPort({ host, port, protocol }: Readonly<URL>, ports: readonly number[] | '*'): void {
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

/**
 * Returns the `lookup` option for requests of `node:http`. In hosted mode the connection uses the checked addresses, so a name cannot
 * change between check and connection. One forbidden address rejects the name. Hosts that are addresses are checked by `checkTarget`.
 */
export const lookupFor =
  (mode: TargetMode, resolve: (hostname: string) => Promise<readonly ResolvedAddress[]>): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname)
      .then((addresses) => {
        if (mode === 'hosted') for (const { address } of addresses) refuseInner(hostname, address)
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

function ofFamily(addresses: readonly ResolvedAddress[], family: unknown): readonly ResolvedAddress[] {
  const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family
  return wanted === 4 || wanted === 6 ? addresses.filter((each) => each.family === wanted) : addresses
}

function notFound(hostname: string): NodeJS.ErrnoException {
  const error = new Error(`callback host ${hostname} has no address: check the name in callback_url`)
  return Object.assign(error, { code: 'ENOTFOUND' })
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
  const { origin } = urlOf(url)!
  const found = verified.find((each) => each.origin === origin)
  if (found && found.expires_at > now) return
  throw new TargetRefused(
    `${origin} ${found ? 'was not verified within 90 days' : 'was not verified'} as a callback target of this world (SANDBOX_CALLBACK_TARGETS is verified): POST /sandbox/callback-targets with {"url": "${origin}"}, then resend this callback with POST /sandbox/callbacks/{id}/resend`,
  )
}

export interface Rewrite {
  readonly host: string
  /** Null for any port. */
  readonly port: string | null
  readonly toHost: string
  /** Null to keep the port. */
  readonly toPort: string | null
}

/**
 * Parses a list such as `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`, an empty text, or `none`.
 * @throws Error naming the invalid part
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
 * Applies the first matching rewrite to an address. The rewrite of `localhost` also applies to other loopback addresses
 * without a rewrite of their own. Runs before the target check and the signature.
 */
export function applyRewrites(address: string, rewrites: readonly Rewrite[]): string {
  const from = rewrites.length > 0 ? urlOf(address) : undefined
  if (!from) return address
  const host = plain(from.hostname)
  const port = from.port || (from.protocol === 'https:' ? '443' : '80')
  const atPort = rewrites.filter((each) => each.port === null || each.port === port)
  const rewrite =
    atPort.find((each) => each.host === host) ??
    (isLoopback(from.hostname) ? atPort.find((each) => each.host === 'localhost') : undefined)
  if (rewrite === undefined) return address
  const url = new URL(address)
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

/** Returns the origin of an address after rewriting, or the text itself if it is not a URL. */
export function targetOf(address: string, rewrites: readonly Rewrite[]): string {
  const called = applyRewrites(address, rewrites)
  return urlOf(called)?.origin ?? called
}

/** The name of the host in containers: by default with Docker Desktop and Podman, on request with Docker on Linux. */
const CONTAINER_HOST = 'host.docker.internal'

/** Returns the same address on the container's host, or undefined if the address is not loopback. */
export function onContainerHost(address: string): string | undefined {
  const url = new URL(address)
  if (!isLoopback(url.hostname)) return undefined
  url.hostname = CONTAINER_HOST
  return url.href
}

const REWRITE = 'SANDBOX_CALLBACK_REWRITE=localhost=NAME'

/**
 * Returns the message for a refused connection in the container and on its host.
 * @param known whether the name of the host resolves
 */
export function connectionRefused(address: string, known: boolean): FailureMessage {
  const { host, port, protocol } = new URL(address)
  const here = `connection refused: nothing listens at ${host} in this container`
  return known
    ? {
        error: `${here}, nor at ${CONTAINER_HOST}:${port || (protocol === 'https:' ? 443 : 80)}`,
        advice: `start the receiver and let it listen on 0.0.0.0, because containers cannot reach 127.0.0.1 of their host; for a receiver elsewhere set ${REWRITE}`,
      }
    : {
        error: `${here}, and ${CONTAINER_HOST} does not resolve`,
        advice: `start the receiver if it runs in this container; for a receiver on the container's host, start the container with --add-host ${CONTAINER_HOST}:host-gateway, or set ${REWRITE}, where NAME is the receiver's host (host.testcontainers.internal with Testcontainers, the service name with Compose)`,
      }
}

/** Logged at the start in a container. */
export const CONTAINER_NOTE = `callbacks to localhost or 127.0.0.1 are sent to this container, and if nothing listens there to ${CONTAINER_HOST} (Docker on Linux needs --add-host ${CONTAINER_HOST}:host-gateway); set ${REWRITE} for another host, or SANDBOX_CALLBACK_REWRITE=none for this container only`

/** Files that Docker, Podman and Kubernetes create in each container. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv', '/var/run/secrets/kubernetes.io/serviceaccount']
const CONTAINER_GROUP = /docker|kubepods|containerd|libpod|lxc/

/**
 * Whether the process runs in a container, where loopback differs from that of the caller.
 * @param setting - The value of `SANDBOX_IN_CONTAINER`; null to detect it.
 * @param root - The root of the file system.
 */
export function isInContainer(setting: 'on' | 'off' | null, root = ''): boolean {
  if (setting !== null) return setting === 'on'
  if (CONTAINER_FILES.some((path) => existsSync(root + path))) return true
  try {
    return CONTAINER_GROUP.test(readFileSync(`${root}/proc/self/cgroup`, 'utf8'))
  } catch {
    return false
  }
}
