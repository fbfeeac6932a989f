import { createDelivery, type Deliver } from '../callbacks/deliver.ts'
import { createInboxes, toInboxes, type Inboxes } from '../callbacks/inbox.ts'
import { createHttpSend, type Send } from '../callbacks/send.ts'
import { guardedLookup, openLookup, sharedResolve } from '../callbacks/target.ts'
import type { Config } from '../config.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { readCallbackSettings } from './callback-settings.ts'

export interface Delivery {
  readonly deliver: Deliver
  readonly inboxes: Inboxes
  /** Cuts what is under way; it stays owed. */
  close(): void
}

/**
 * How callbacks leave: into the sandbox's own inboxes, or over HTTP with the target checked.
 * @param send takes the place of HTTP
 */
export function joinDelivery(
  { mode }: Config,
  { rewrites, firstSecret }: ReturnType<typeof readCallbackSettings>,
  worlds: Worlds,
  send: Send | undefined,
): Delivery {
  const lookup = mode === 'hosted' ? guardedLookup(sharedResolve()) : openLookup(sharedResolve())
  const http = send ? { send, close: () => {} } : createHttpSend({ lookup })
  const inboxes = createInboxes(firstSecret, (name) => worlds.get(name)?.life)
  const deliver = createDelivery({
    send: toInboxes(inboxes, worlds.get, http.send),
    isInbox: (url) => inboxes.find(url) !== undefined,
    mode,
    rewrites,
    firstSecret,
  })
  return { deliver, inboxes, close: http.close }
}
