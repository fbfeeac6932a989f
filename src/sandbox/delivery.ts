import { createDelivery, type Deliver } from '../callbacks/deliver.ts'
import { createInboxes, toInboxes, type Inboxes } from '../callbacks/inbox.ts'
import { createNameResolver } from '../callbacks/resolve.ts'
import { createHttpSend } from '../callbacks/http-send.ts'
import type { Send } from '../callbacks/send.ts'
import { guardedLookup, openLookup, type TargetMode } from '../callbacks/target.ts'
import { createVerifier, type TargetVerifier } from '../callbacks/verify-target.ts'
import { CONTAINER_NOTE } from '../callbacks/rewrite.ts'
import { later } from '../lib/clock/clock.ts'
import type { Receiver } from '../callbacks/receivers/receiver.ts'
import { createReceivers } from '../callbacks/receivers/receivers.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../lib/log/log.ts'
import { systemSecrets } from '../lib/random/random.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { CallbackSettings } from './initial-state.ts'
import { isInContainer } from './container.ts'

export interface Delivery {
  readonly deliver: Deliver
  readonly inboxes: Inboxes
  /** Asks receivers whether they want callbacks. */
  readonly targets: TargetVerifier
  /** Whether an address is one of them. */
  readonly isInbox: (url: string) => boolean
  /** Says what whoever starts it should know. */
  tellStart(): void
  /** Cuts what is under way in so many milliseconds, or once what it returns is called; its jobs stay. */
  closeIn(ms: number): () => void
}

/** What receivers on the internet listen at; others are mostly no business of HTTP. */
const HOSTED_PORTS = [80, 443, 8080, 8443]

/** What takes the place of the network. */
export interface Ways {
  /** In place of HTTP. */
  readonly send?: Send | undefined
  /** In place of what listens at an origin. */
  readonly receivers?: Readonly<Record<string, Receiver>> | undefined
}

interface DeliveryParts extends Ways {
  readonly config: Config
  readonly callbacks: CallbackSettings
  readonly worlds: Worlds
  /** How many connections there may be at once. */
  readonly connections: number
  readonly log: Log
}

/** How callbacks leave: into the sandbox's own inboxes, or over HTTP with the target checked. */
export function joinDelivery({
  config,
  callbacks: { rewrites, firstSecret },
  worlds,
  connections,
  send,
  receivers,
  log,
}: DeliveryParts): Delivery {
  const { callbackPorts, callbackRewrite, callbackTargets } = config
  const mode = targetModeOf(config)
  const tryMachine = config.mode === 'local' && callbackRewrite !== 'none' && isInContainer(config)
  const names = createNameResolver({ mode })
  const checked = mode === 'hosted' ? guardedLookup : openLookup
  const lookup = (world: string) => checked((hostname) => names.resolve(hostname, world))
  const within = createReceivers(receivers ?? {})
  const http = send
    ? { send, close: () => {} }
    : createHttpSend({ lookup, most: connections, receivers: within })
  const inboxes = createInboxes(firstSecret, (name) => worlds.get(name)?.life)
  // Whoever sends it: an inbox of the sender's own is one as well.
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
    tellStart() {
      if (tryMachine && callbackRewrite === null)
        log.info('runs in a container', { callbacks: CONTAINER_NOTE })
    },
    inboxes,
    isInbox,
    closeIn(ms) {
      if (ms === 0) close()
      const cancel = later(ms, close)
      return () => {
        cancel()
        close()
      }
    },
  }
}

/** Which addresses may be called; one that is to be verified has to be one of the mode, too. */
const targetModeOf = ({ mode, callbackTargets }: Config): TargetMode =>
  callbackTargets === 'verified' ? mode : callbackTargets === 'any' ? 'local' : 'hosted'
