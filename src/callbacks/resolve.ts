/**
 * How the names in callback addresses become addresses. The system's own way (`dns.lookup`) takes a thread for as long as
 * a name server is silent, and there are four for all worlds and all files; asking the name servers ourselves takes none.
 */
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { later, systemWall, type Wall } from '../clock.ts'
import { askServers, nameError } from './ask-servers.ts'
import { completions, HOSTS_FILE, readHosts, readOnChange, readSearch, RESOLV_FILE } from './name-files.ts'
import { Shares } from './shares.ts'
import type { ResolvedAddress, TargetMode } from './target.ts'

type Addresses = readonly ResolvedAddress[]

export interface Names {
  /**
   * The addresses of a name, at least one.
   * @param world who asks: each world has a share of what is asked for at once
   * @throws an error with the `code` ENOTFOUND, EAI_AGAIN or DNS_TIMEOUT
   */
  resolve(hostname: string, world: string): Promise<Addresses>
  /** Asks for nothing more; whoever waits for an answer gets none. */
  close(): void
}

export interface NamesOptions {
  /** `local` also completes names as this machine does, and asks the system for those that no name server knows. */
  readonly mode: TargetMode
  /** Milliseconds until a name without an answer is given up. */
  readonly limit?: number
  /** `address:port` of the name servers; those of this machine when left out. */
  readonly servers?: readonly string[]
  readonly hostsFile?: string
  readonly resolvFile?: string
  /** The system's way. */
  readonly system?: (name: string) => Promise<Addresses>
  readonly wall?: Wall
}

const LIMIT = 3_000
/** Names that are asked for at once, of all worlds and of one. */
const AT_ONCE = 256
const AT_ONCE_OF_ONE = 32
/** Threads that the system's way may take, of four. */
const SYSTEM_AT_ONCE = 2
/** How long an answer is remembered at most, milliseconds. */
const FOUND_KEPT = 30_000
const SYSTEM_KEPT = 5_000
const MISSING_KEPT = 2_000
const FAILURE_KEPT = 1_000
const MOST_KEPT = 10_000
/** Milliseconds until a name server that did not hear a question is asked again. */
const ASKED = { timeout: 1_000, tries: 2 }

const LOOPBACK: Addresses = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

export function createNames(options: NamesOptions): Names {
  const { mode, limit = LIMIT, servers, wall = systemWall } = options
  const system = options.system ?? ((name: string) => lookup(name, { all: true }))
  const hosts = readOnChange(options.hostsFile ?? HOSTS_FILE, readHosts)
  let latest: Resolver | undefined
  // A machine that joins another network has other name servers, which a resolver reads when it is made.
  const machine = readOnChange(options.resolvFile ?? RESOLV_FILE, (text) => {
    const resolver = new Resolver(ASKED)
    if (servers) resolver.setServers(servers)
    latest = resolver
    return { search: readSearch(text), resolver }
  })
  const shares = new Shares(AT_ONCE, AT_ONCE_OF_ONE)
  const threads = new Shares(SYSTEM_AT_ONCE, 1)
  const remembered = new Map<string, { readonly answer: Addresses | Error; readonly until: number }>()
  /** By name: whoever wants a name that is asked for already gets the same answer. */
  const asked = new Map<string, Promise<Addresses>>()
  /** By world and name. */
  const wanted = new Map<string, Promise<Addresses>>()
  let closed = false

  const remember = <Answer extends Addresses | Error>(name: string, answer: Answer, ms: number): Answer => {
    if (remembered.size >= MOST_KEPT) remembered.clear()
    if (ms > 0) remembered.set(name, { answer, until: wall() + ms })
    return answer
  }

  /** What is known without asking anyone. @throws what a look-up before this one failed with */
  const known = (name: string): Addresses | undefined => {
    const plain = name.replace(/\.$/, '')
    const listed = hosts().get(plain)
    if (listed) return listed.map((address) => ({ address, family: isIP(address) }))
    // RFC 6761: these two are no business of name servers.
    if (/(^|\.)localhost$/.test(plain)) return LOOPBACK
    if (/(^|\.)invalid$/.test(plain)) throw nameError(name)
    const before = remembered.get(name)
    if (!before || before.until <= wall()) return undefined
    if (before.answer instanceof Error) throw before.answer
    return before.answer
  }

  const ask = async (name: string, world: string): Promise<Addresses> => {
    if (closed) throw nameError(name)
    const { search, resolver } = machine()
    let error = nameError(name)
    for (const each of mode === 'local' ? completions(name, search) : [name]) {
      const answer = await askServers(resolver, each)
      if (!(answer instanceof Error))
        return remember(name, answer, Math.min(FOUND_KEPT, ...answer.map(({ ttl }) => ttl * 1_000)))
      error = answer
      if (error.code !== 'ENOTFOUND') break
    }
    if (mode === 'hosted' || error.code === 'DNS_TIMEOUT' || closed)
      throw remember(name, error, error.code === 'ENOTFOUND' ? MISSING_KEPT : FAILURE_KEPT)
    return askSystem(name, world).then(
      (answer) => remember(name, answer, SYSTEM_KEPT),
      (failed: Error) => {
        throw remember(name, failed, MISSING_KEPT)
      },
    )
  }
  /** The thread is given back when the system has answered, not when nobody waits for it any more. */
  const askSystem = (name: string, world: string) =>
    new Promise<Addresses>((resolve, reject) => {
      const start = () => void system(name).then(resolve, reject).finally(end)
      const end = () => over()
      const over = threads.take(world, start)
    })
  const askOnce = (name: string, world: string) => {
    const asking = asked.get(name) ?? ask(name, world).finally(() => asked.delete(name))
    asked.set(name, asking)
    return asking
  }
  /** Waits for the world's turn and then for the answer, for both together within the limit. */
  const waitFor = (name: string, world: string) =>
    new Promise<Addresses>((resolve, reject) => {
      const start = () => void askOnce(name, world).then(resolve, reject).finally(end)
      const end = () => {
        stop()
        over()
      }
      const stop = later(limit, () => {
        reject(nameError(name, ['ETIMEOUT']))
        over()
      })
      const over = shares.take(world, start)
    })

  return {
    async resolve(hostname, world) {
      const name = hostname.toLowerCase()
      const here = known(name)
      if (here) return here
      const key = `${world} ${name}`
      const waiting = wanted.get(key) ?? waitFor(name, world).finally(() => wanted.delete(key))
      wanted.set(key, waiting)
      return waiting
    },
    close() {
      closed = true
      latest?.cancel()
    },
  }
}
