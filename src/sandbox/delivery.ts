import { createDelivery } from '../callbacks/deliver.ts'
import { createInboxes, toInboxes } from '../callbacks/inbox.ts'
import { createNameResolver } from '../callbacks/resolve.ts'
import { createHttpSend } from '../callbacks/http-send.ts'
import type { Send } from '../callbacks/send.ts'
import {
  CONTAINER_NOTE,
  guardedLookup,
  isInContainer,
  openLookup,
  type TargetMode,
} from '../callbacks/target.ts'
import { createVerifier } from '../callbacks/verify-target.ts'
import { later } from '../lib/clock/clock.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'
import { createReceivers } from '../callbacks/receivers/receivers.ts'
import type { Config } from '../config/config.ts'
import { systemSecrets } from '../lib/random/random.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { Base } from './base.ts'

/** The ports of most public receivers. Other ports are mostly not for HTTP. */
const HOSTED_PORTS = [80, 443, 8080, 8443]

/** Replacements for the network. */
export interface Transports {
  readonly send?: Send | undefined
  /** Validated receivers in this process, by origin. */
  readonly receivers?: Readonly<Record<string, Receiver>> | undefined
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
