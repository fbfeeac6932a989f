import { createDelivery } from '../callbacks/deliver.ts'
import { createInboxes, toInboxes } from '../callbacks/inbox.ts'
import { createNameResolver } from '../callbacks/resolve.ts'
import { createHttpSend } from '../callbacks/http-send.ts'
import type { Send, SendResult } from '../callbacks/send.ts'
import {
  applyRewrites,
  checkTarget,
  CONTAINER_NOTE,
  guardedLookup,
  isInContainer,
  openLookup,
  requireVerified,
  type TargetMode,
  verifiedIn,
} from '../callbacks/target.ts'
import { createVerifier } from '../callbacks/verify-target.ts'
import { later } from '../lib/clock/clock.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'
import { createReceivers } from '../callbacks/receivers/receivers.ts'
import type { Config } from '../config/config.ts'
import { systemSecrets } from '../lib/random/random.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { Tls } from '../service/vocabulary/receiver-protection.ts'
import type { World } from '../worlds/world.ts'
import type { Base } from './base.ts'

/** The ports of most public receivers. Other ports are mostly not for HTTP. */
const HOSTED_PORTS = [80, 443, 8080, 8443]

/** Replacements for the network. */
export interface Transports {
  readonly send?: Send | undefined
  /** Validated receivers in this process, by origin. */
  readonly receivers?: Readonly<Record<string, Receiver>> | undefined
}

/** A request to the integration. */
interface ShopRequest {
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly tls?: Tls | undefined
  /** Time limit in milliseconds. */
  readonly limit: number
}

export type Delivery = ReturnType<typeof joinDelivery>

/**
 * Connects callbacks with the inboxes of the sandbox, receivers in this process, and HTTP.
 * @param connections - Maximum number of concurrent connections.
 */
export function joinDelivery(
  { config, initial, log }: Pick<Base, 'config' | 'initial' | 'log'>,
  worlds: Worlds,
  connections: number,
  { send, receivers = {} }: Transports,
) {
  const { callbackPorts, callbackRewrite, callbackTargets } = config
  const { rewrites, firstSecret } = initial.callbacks
  const mode = targetModeOf(config)
  const tryMachine =
    config.mode === 'local' && callbackRewrite !== 'none' && isInContainer(config.inContainer)
  const names = createNameResolver({ mode })
  const checked = mode === 'hosted' ? guardedLookup : openLookup
  const lookup = (world: string) => checked((hostname) => names.resolve(hostname, world))
  const within = createReceivers(receivers)
  const http = send
    ? { send, close: () => {} }
    : createHttpSend({ lookup, most: connections, receivers: within })
  const inboxes = createInboxes(firstSecret, (name) => worlds.get(name)?.life)
  /** With any sender, so that addresses of the sender's own inboxes count as well. */
  const isInbox = (url: string) => inboxes.find(url, '') !== undefined
  const close = () => {
    names.close()
    http.close()
  }
  const route = {
    send: toInboxes(inboxes, async (name) => worlds.get(name) ?? worlds.find(name), http.send),
    staysInside: (url: string) => isInbox(url) || within.has(url),
    openInbox(url: string) {
      const world = inboxes.worldIn(url)
      return world === undefined || worlds.get(world) ? undefined : worlds.find(world)
    },
    mode,
    ports: callbackPorts ?? (mode === 'hosted' ? HOSTED_PORTS : '*'),
    rewrites,
    tryMachine,
    onlyVerified: callbackTargets === 'verified',
    firstSecret,
  } as const
  return {
    deliver: createDelivery({ ...route, log }),
    targets: createVerifier({ ...route, secrets: systemSecrets }),
    logStart() {
      if (tryMachine && callbackRewrite === null)
        log.info('runs in a container', { callbacks: CONTAINER_NOTE })
    },
    /**
     * Sends a request of a certification run to the integration, under the rules of callbacks. Never rejects; the response has
     * a null status with the reason if there is none.
     */
    async toShop(world: World, request: ShopRequest): Promise<SendResult> {
      const url = applyRewrites(request.url, rewrites)
      try {
        if (!route.staysInside(url)) {
          checkTarget(url, mode, route.ports)
          if (route.onlyVerified)
            requireVerified(url, await world.read((look) => verifiedIn(look)), world.clock.wall())
        }
      } catch (error) {
        return { status: null, error: (error as Error).message }
      }
      const { limit: timeout, ...asked } = request
      const sent = await route.send({ ...asked, world: world.name, url, timeout })
      return sent ?? { status: null, error: 'the sandbox was closed' }
    },
    /** @throws TargetRefused if callbacks may not reach the address */
    checkShop: (url: string) => checkTarget(applyRewrites(url, rewrites), mode, route.ports),
    inboxes,
    isInbox,
    /** Closes all connections after `ms`, or when the returned function is called. Jobs of unfinished attempts stay. */
    closeIn(ms: number): () => void {
      if (ms === 0) close()
      const cancel = later(ms, close)
      return () => {
        cancel()
        close()
      }
    },
  }
}

/** With verified targets, the mode restricts the addresses that can be verified. */
const targetModeOf = ({ mode, callbackTargets }: Config): TargetMode =>
  callbackTargets === 'verified' ? mode : callbackTargets === 'any' ? 'local' : 'hosted'
