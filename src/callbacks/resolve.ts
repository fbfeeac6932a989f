/** Resolves names in callback addresses by querying name servers directly. `dns.lookup` would block one of four threads. */
import { lookup, Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { later, systemWall, type Wall } from '../lib/clock/clock.ts'
import { createWorldLimiter } from './limits.ts'
import type { ResolvedAddress, TargetMode } from './target.ts'

type Addresses = readonly ResolvedAddress[]

export interface NameResolverOptions {
  /** `local` also completes names as this machine does, and falls back to the system's resolver. */
  readonly mode: TargetMode
  /** Maximum milliseconds per name. */
  readonly limit?: number
  /** `address:port` of the name servers; by default the configured ones. */
  readonly servers?: readonly string[]
  readonly hostsFile?: string
  readonly resolvFile?: string
  /** The system's resolver. */
  readonly system?: (name: string) => Promise<Addresses>
  readonly wall?: Wall
}

const LIMIT = 3_000
/** Maximum number of concurrent queries, in total and per world. */
const AT_ONCE = 256
const AT_ONCE_OF_ONE = 32
/** Maximum number of the four threads that the system's resolver may block. */
const SYSTEM_AT_ONCE = 2
/** Maximum time that the cache keeps results, in milliseconds. */
const FOUND_KEPT = 30_000
const SYSTEM_KEPT = 5_000
const MISSING_KEPT = 2_000
const FAILURE_KEPT = 1_000
const MOST_KEPT = 10_000
/** Retries of queries that a name server does not answer. */
const ASKED = { timeout: 1_000, tries: 2 }

const LOOPBACK = ['127.0.0.1', '::1'] as const

export function createNameResolver(options: NameResolverOptions) {
  const { mode, limit = LIMIT, wall = systemWall } = options
  const { system = (name: string): Promise<Addresses> => lookup(name, { all: true }) } = options
  const runSystem = createWorldLimiter(SYSTEM_AT_ONCE, 1)
  /** The system's resolver blocks a thread until it has a result, even if no caller waits for it. */
  const askSystem = (name: string, world: string) =>
    new Promise<Addresses>((resolve, reject) => {
      runSystem(world, () => system(name).then(resolve, reject))
    })
  const hosts = readOnChange(options.hostsFile ?? HOSTS_FILE, readHosts)
  const machine = createMachine(options)
  const cache = createLookupCache(wall)
  const run = createWorldLimiter(AT_ONCE, AT_ONCE_OF_ONE)
  /** Running queries by name, which later callers share. */
  const asked = new Map<string, Promise<Addresses>>()
  /** By world and name. */
  const wanted = new Map<string, Promise<Addresses>>()
  let closed = false

  const ask = async (name: string, world: string): Promise<Addresses> => {
    if (closed) throw nameError(name)
    const { search, resolver } = machine.current()
    let error = nameError(name)
    for (const each of mode === 'local' ? completions(name, search) : [name]) {
      const response = await askServers(resolver, each)
      if (!(response instanceof Error))
        return cache.keep(name, response, Math.min(FOUND_KEPT, ...response.map(({ ttl }) => ttl * 1_000)))
      error = response
      if (error.code !== 'ENOTFOUND') break
    }
    if (mode === 'hosted' || error.code === 'DNS_TIMEOUT' || closed)
      throw cache.keep(name, error, error.code === 'ENOTFOUND' ? MISSING_KEPT : FAILURE_KEPT)
    return askSystem(name, world).then(
      (response) => cache.keep(name, response, SYSTEM_KEPT),
      (failed: Error) => {
        throw cache.keep(name, failed, MISSING_KEPT)
      },
    )
  }
  const askOnce = (name: string, world: string) => shared(asked, name, () => ask(name, world))
  /** Waits for the world's turn and the result, both within the limit. */
  const waitFor = (name: string, world: string) =>
    new Promise<Addresses>((resolve, reject) => {
      let expire = () => {}
      const expired = new Promise<void>((resolve) => (expire = resolve))
      const stop = later(limit, () => {
        reject(nameError(name, ['ETIMEOUT']))
        expire()
        cancel()
      })
      const cancel = run(world, () =>
        Promise.race([askOnce(name, world).then(resolve, reject), expired]).finally(stop),
      )
    })

  return {
    /**
     * Resolves to at least one address.
     * @param world - Each world has a share of the concurrent queries.
     * @throws Error with the `code` ENOTFOUND, EAI_AGAIN or DNS_TIMEOUT
     */
    async resolve(hostname: string, world: string): Promise<Addresses> {
      const name = hostname.toLowerCase()
      const known = withoutAsking(name, hosts()) ?? cache.find(name)
      return known ?? shared(wanted, `${world} ${name}`, () => waitFor(name, world))
    },
    close(): void {
      closed = true
      machine.cancel()
    },
  }
}

/** Returns the running work of a key, or starts it. */
function shared<Value>(
  running: Map<string, Promise<Value>>,
  key: string,
  begin: () => Promise<Value>,
): Promise<Value> {
  const promise = running.get(key) ?? begin().finally(() => running.delete(key))
  running.set(key, promise)
  return promise
}

const addressesOf = (addresses: Iterable<string>): Addresses =>
  [...addresses].map((address) => ({ address, family: isIP(address) }))

/** Returns the addresses of a local name. @throws an error for a name without addresses */
function withoutAsking(name: string, hosts: Hosts): Addresses | undefined {
  const plain = name.replace(/\.$/, '')
  const listed = hosts.get(plain)
  // A local server may listen on either family, but the file may contain only one.
  if (listed && plain === 'localhost') return addressesOf(new Set([...listed, ...LOOPBACK]))
  if (listed) return addressesOf(listed)
  // RFC 6761.
  if (/(^|\.)localhost$/.test(plain)) return addressesOf(LOOPBACK)
  if (/(^|\.)invalid$/.test(plain)) throw nameError(name)
  return undefined
}

/** The name servers and search domains of this machine, which may change with its network. */
function createMachine({ servers, resolvFile = RESOLV_FILE }: NameResolverOptions) {
  let latest: Resolver | undefined
  const current = readOnChange(resolvFile, (text) => {
    // The constructor reads the name servers.
    const resolver = new Resolver(ASKED)
    if (servers) resolver.setServers(servers)
    latest = resolver
    return { search: readSearch(text), resolver }
  })
  return { current, cancel: () => latest?.cancel() }
}

/** Caches results, including failures. */
function createLookupCache(wall: Wall) {
  const kept = new Map<string, { readonly response: Addresses | Error; readonly until: number }>()
  return {
    /** @throws the error of the cached look-up */
    find(name: string): Addresses | undefined {
      const before = kept.get(name)
      if (!before || before.until <= wall()) return undefined
      if (before.response instanceof Error) throw before.response
      return before.response
    },
    keep<Answer extends Addresses | Error>(name: string, response: Answer, ms: number): Answer {
      if (kept.size >= MOST_KEPT) kept.clear()
      if (ms > 0) kept.set(name, { response, until: wall() + ms })
      return response
    },
  }
}

/** An address with its TTL in seconds. */
interface DnsAddress extends ResolvedAddress {
  readonly ttl: number
}

/** Milliseconds to wait for the second address family, since some servers ignore unknown ones. */
const OTHER_FAMILY = 250

/**
 * Queries name servers for the addresses of a name, IPv4 first. Never rejects.
 * @returns the addresses, or an error with the `code` ENOTFOUND, EAI_AGAIN or DNS_TIMEOUT
 */
function askServers(
  resolver: Resolver,
  name: string,
): Promise<readonly DnsAddress[] | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    const found: DnsAddress[] = []
    const codes: string[] = []
    let open = 2
    let stop = () => {}
    const end = () => {
      stop()
      resolve(found.length > 0 ? found.toSorted((a, b) => a.family - b.family) : nameError(name, codes))
    }
    const ask = (family: 4 | 6) =>
      (family === 4 ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true }))
        .then(
          (records) => void found.push(...records.map(({ address, ttl }) => ({ address, family, ttl }))),
          ({ code = '' }: NodeJS.ErrnoException) => void codes.push(code),
        )
        .then(() => {
          if (--open === 0) end()
          else if (found.length > 0) stop = later(OTHER_FAMILY, end)
        })
    void ask(4)
    void ask(6)
  })
}

/** @param codes the error codes of the queries; none for a name that cannot have an address */
function nameError(name: string, codes: readonly string[] = []): NodeJS.ErrnoException {
  const code = codes.includes('ETIMEOUT')
    ? 'DNS_TIMEOUT'
    : codes.every((each) => each === 'ENOTFOUND' || each === 'ENODATA')
      ? 'ENOTFOUND'
      : 'EAI_AGAIN'
  return Object.assign(new Error(`the name ${name} has no address: ${codes.join(', ') || code}`), { code })
}

/** Addresses by name, as in `/etc/hosts`. */
export type Hosts = ReadonlyMap<string, readonly string[]>

/** The completion of partial names, as in `/etc/resolv.conf`. */
export interface Search {
  readonly domains: readonly string[]
  /** Names with fewer dots are completed first. */
  readonly dots: number
}

const windows = process.platform === 'win32'
const HOSTS_FILE = windows ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
const RESOLV_FILE = '/etc/resolv.conf'

/** Returns the parsed file, and reads it again after a change. A missing file counts as empty. */
function readOnChange<T>(path: string, read: (text: string) => T): () => T {
  let seen: string | undefined
  let value: T
  return () => {
    const stat = statSync(path, { throwIfNoEntry: false })
    const now = stat ? `${stat.mtimeMs} ${stat.ino} ${stat.size}` : ''
    if (now === seen) return value
    value = read(stat ? textOf(path) : '')
    seen = now
    return value
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address, ...names] = wordsOf(line)
    if (address === undefined || isIP(address) === 0) continue
    for (const name of names.map((each) => each.toLowerCase())) {
      const known = hosts.get(name)
      if (!known) hosts.set(name, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return hosts
}

function readSearch(text: string): Search {
  let domains: string[] = []
  let dots = 1
  for (const [key, ...values] of text.split('\n').map(wordsOf)) {
    // The last line of the two wins (resolv.conf(5)).
    if (key === 'search' || key === 'domain') domains = values.map((each) => each.replace(/\.$/, ''))
    const ndots = key === 'options' && values.findLast((each) => /^ndots:\d+$/.test(each))
    if (ndots) dots = Math.min(Number(ndots.slice('ndots:'.length)), 15)
  }
  return { domains: domains.filter((each) => each !== ''), dots }
}

/** Returns the possible full names in the order of the queries. */
export function completions(name: string, { domains, dots }: Search): readonly string[] {
  if (name.endsWith('.')) return [name]
  const completed = domains.map((domain) => `${name}.${domain}`)
  return name.split('.').length - 1 < dots ? [...completed, name] : [name, ...completed]
}

const wordsOf = (line: string) =>
  line
    .replace(/[#;].*/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
