import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { type ConcurrencyLimits, createHostRateLimit, limitOfOneWorld } from '../callbacks/limits.ts'
import type { Config } from '../config/config.ts'
import { countedAddress, type IsProxy, proxiesAmong } from '../http/client-address.ts'
import { oursBy } from '../http/cross-origin.ts'
import type { Hono } from 'hono'
import type { Env } from '../http/exchange.ts'
import type { FetchWith } from '../http/openapi-app.ts'
import { cuts, type Reached, reachedAt } from '../http/caller.ts'
import type { Forward } from '../http/forward.ts'
import type { InwardLimit, listen, Listening } from '../http/server.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { type Log, throttled } from '../lib/log/log.ts'

export const CLOSED = 'the sandbox is closed'
const closed = { error_code: 'unavailable', error_message: CLOSED, status_code: 503 }

interface ListenerOptions {
  readonly port: number
  readonly host: string
  readonly limit: InwardLimit
  readonly guard: Parameters<typeof listen>[4]
  /** How clients reach the sandbox, if not by the address of their requests. */
  readonly reached: Reached['reached'] | undefined
  /** Joins the processes that forward requests to each other; undefined for a single process. */
  readonly forwardAt: ((address: AddressInfo) => Promise<Forward>) | undefined
}

/** Receives requests from this process, and from the network once a port is open. */
export function createListener(app: Hono<Env>, options: ListenerOptions) {
  let server: Listening | undefined
  let refused = false
  const { reached } = options
  const fetch: FetchWith = reached
    ? (request, env) => app.fetch(request, { ...env, reached } satisfies Reached)
    : app.fetch
  return {
    fetch: (async (request, env) => {
      if (refused) return Response.json(closed, { status: 503 })
      const response = await fetch(request, env)
      const cut = cuts.get(request)
      if (cut) throw cut
      return response
    }) satisfies FetchWith as FetchWith,
    async listen(port = options.port): Promise<AddressInfo> {
      // Loaded with the first port: a sandbox within the process of a test needs no server.
      const { listen } = await import('../http/server.ts')
      const { host, limit, guard, forwardAt } = options
      let forward: Forward | undefined
      const forwarding: Forward = (incoming, outgoing, serve) =>
        forward ? forward(incoming, outgoing, serve) : serve()
      server = await listen(fetch, port, host, limit, guard, forwardAt && forwarding)
      forward = await forwardAt?.(server.address)
      return server.address
    },
    /** Ends each connection after its next response. Returns false if no port is open. */
    leave() {
      server?.leave()
      return server !== undefined
    },
    /** Rejects further requests of this process. */
    refuse() {
      refused = true
    },
    /** Closes the port. @param grace - Milliseconds for running requests to finish. */
    async close(grace: number) {
      await server?.stop(grace)
    },
  }
}

/** Returns the host names and proxies through which clients reach the sandbox. */
export function namesOf({ host, allowedHosts, publicUrl, trustedProxies }: Config) {
  const named = [
    host,
    ...(allowedHosts === '*' ? [] : allowedHosts),
    ...(publicUrl === null ? [] : [new URL(publicUrl).hostname]),
  ]
  const isProxy = trustedProxies === null ? undefined : proxiesAmong(trustedProxies)
  return { isOurs: oursBy(named), isProxy, reached: reachedAt(publicUrl, isProxy) }
}

const MINUTE = 60_000
/** File descriptors for files, name servers, mail and connections being opened. */
const RESERVED = 64

/**
 * Divides the file descriptors, so that outgoing connections leave enough of them for incoming ones.
 * @param descriptors - The limit of the process; Infinity if unknown.
 */
export function connectionLimits(
  { maxConnections }: Pick<Config, 'maxConnections'>,
  log: Log,
  descriptors = descriptorLimit(),
) {
  const out = Math.max(1, Math.min(maxConnections, Math.floor(descriptors / 2)))
  if (out < maxConnections)
    log.warn('fewer connections', { SANDBOX_MAX_CONNECTIONS: maxConnections, taken: out, descriptors })
  return { out, inward: Math.max(1, descriptors - out - RESERVED) }
}

/** Limits concurrent callbacks, and logs when they have to wait. */
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

const HOSTED_CONNECTIONS = 4_096
/** Milliseconds without progress after which a response counts as unread. */
const STALLED = 10_000
const MEGABYTE = 1_048_576

/** Limits client connections and unread responses, and logs when clients are turned away. */
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
