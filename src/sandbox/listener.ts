import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createHostRateLimit } from '../callbacks/host-rate-limit.ts'
import { limitOfOneWorld } from '../callbacks/http-send.ts'
import type { Config } from '../config/config.ts'
import { countedAddress, type IsProxy, proxiesAmong } from '../http/client-address.ts'
import { type IsOurs, oursBy } from '../http/host-guard.ts'
import type { FetchWith } from '../http/openapi-app.ts'
import { type Reached, reachedAt } from '../http/origin.ts'
import { refuseClosed } from '../http/protocol-errors.ts'
import { cutOf } from '../http/scenario/faults.ts'
import { type InwardLimit, listen, type Listening } from '../http/server.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { type Log, throttled } from '../lib/log/log.ts'
import type { createApp } from './app.ts'
import type { ConcurrencyLimits } from '../scheduler/dispatcher.ts'

interface DoorOptions {
  readonly port: number
  readonly host: string
  readonly limit: InwardLimit
  readonly guard: Parameters<typeof listen>[4]
  /** How clients reach the sandbox, where that is not by the address of their request. */
  readonly reached: Reached['reached'] | undefined
}

/** How requests come in: in this process, and by a port when one is opened. */
export interface Door {
  readonly fetch: FetchWith
  listen(port?: number): Promise<AddressInfo>
  /** Whether there is a port; from now on connections to it end with their next answer. */
  leave(): boolean
  /** From now on requests of this process are refused. */
  refuse(): void
  /** Closes the port. @param grace how long running requests may take, milliseconds */
  close(grace: number): Promise<void>
}

export function openDoor(app: ReturnType<typeof createApp>, options: DoorOptions): Door {
  let server: Listening | undefined
  let refused = false
  const { reached } = options
  const fetch: FetchWith = reached
    ? (request, env) => app.fetch(request, { ...env, reached } satisfies Reached)
    : app.fetch
  return {
    async fetch(request, env) {
      if (refused) return refuseClosed()
      const answer = await fetch(request, env)
      const cut = cutOf(request)
      if (cut) throw cut
      return answer
    },
    async listen(port = options.port) {
      server = await listen(fetch, port, options.host, options.limit, options.guard)
      return server.address
    },
    leave() {
      server?.leave()
      return server !== undefined
    },
    refuse() {
      refused = true
    },
    async close(grace) {
      await server?.stop(grace)
    },
  }
}

/** By which names and through whom clients reach the sandbox. */
export interface Names {
  /** Whether a host name is one of the sandbox. */
  readonly isOurs: IsOurs
  /** Which addresses are those of proxies that are trusted; undefined where none is. */
  readonly isProxy: IsProxy | undefined
  /** How clients reach the sandbox, where that is not by the address of their request. */
  readonly reached: Reached['reached'] | undefined
}

export function namesOf({ host, allowedHosts, publicUrl, trustedProxies }: Config): Names {
  const named = [
    host,
    ...(allowedHosts === '*' ? [] : allowedHosts),
    ...(publicUrl === null ? [] : [new URL(publicUrl).hostname]),
  ]
  const isProxy = trustedProxies === null ? undefined : proxiesAmong(trustedProxies)
  return { isOurs: oursBy(named), isProxy, reached: reachedAt({ publicUrl, isProxy }) }
}

/** How many connections there may be, so that what goes out leaves enough descriptors for those who come in. */

interface ConnectionLimits {
  readonly out: number
  /** Infinity where the system does not say. */
  readonly inward: number
}

const MINUTE = 60_000
/** Descriptors for files, name servers, mail and what was begun and is not counted yet. */
const RESERVED = 64

/** @param descriptors how many the process may have */
export function connectionLimits(
  { maxConnections }: Pick<Config, 'maxConnections'>,
  log: Log,
  descriptors = descriptorLimit(),
): ConnectionLimits {
  const out = Math.max(1, Math.min(maxConnections, Math.floor(descriptors / 2)))
  if (out < maxConnections)
    log.warn('fewer connections', { SANDBOX_MAX_CONNECTIONS: maxConnections, taken: out, descriptors })
  return { out, inward: Math.max(1, descriptors - out - RESERVED) }
}

/** What callbacks wait for, and that it is said when they do. */
export const callbackLimits = (
  { mode }: Pick<Config, 'mode'>,
  most: number,
  wall: Wall,
  log: Log,
): Partial<ConcurrencyLimits> => ({
  pause: mode === 'hosted' ? createHostRateLimit(wall) : undefined,
  total: most,
  perWorld: limitOfOneWorld(most),
  onFull: throttled(MINUTE, wall, (times) =>
    log.warn('callbacks wait for connections', { most, times, setting: 'SANDBOX_MAX_CONNECTIONS' }),
  ),
})

/** Connections of clients to a sandbox that strangers reach. */
const HOSTED_CONNECTIONS = 4_096
/** Milliseconds without progress after which a response counts as not read. */
const STALLED = 10_000
const MEGABYTE = 1_048_576

/** What clients may take, with a line of the log when one is turned away. */
export function inwardLimit(
  { mode }: Pick<Config, 'mode'>,
  { inward, isProxy }: { readonly inward: number; readonly isProxy: IsProxy | undefined },
  wall: Wall,
  log: Log,
): InwardLimit {
  const isHosted = mode === 'hosted'
  const most = isHosted ? Math.min(inward, HOSTED_CONNECTIONS) : inward
  const countedAs = countedAddress(isProxy)
  return {
    most,
    onRefused: throttled(MINUTE, wall, (times) => log.warn('clients turned away', { most, times })),
    onError: (error) => log.error('server', { message: error.message }),
    unread: {
      stalledFor: STALLED,
      perAddress: isHosted ? 16 * MEGABYTE : Infinity,
      total: isHosted ? 64 * MEGABYTE : Infinity,
      addressOf: (incoming) => countedAs({ env: { incoming } }),
      onClosed: throttled(MINUTE, wall, (times) => log.warn('responses not read', { closed: times })),
    },
  }
}

function descriptorLimit(): number {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return found === undefined ? Infinity : Number(found)
  } catch {
    return Infinity
  }
}
