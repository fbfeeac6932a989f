/** Callbacks, what they are signed with, and the inboxes that receive them. */
import { listBy, listOf } from './lists.ts'
import { type FilterOf, requireFilters } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  Callback,
  CallbackDetails,
  FireCallbackRequest,
  InboxAnswer,
  InboxMessage,
  InboxSummary,
  KeySet,
  ResendCallbacksRequest,
  ResentCallbacks,
  RotateSecretRequest,
  SignatureCheck,
  SignatureCheckRequest,
  SigningSecret,
} from '../generated/control/types.ts'

/**
 * Which callbacks are meant.
 * @example
 * ```ts
 * import type { CallbackFilter } from 'payments-sandbox'
 *
 * const mine: CallbackFilter = { reference: 'order-1', state: 'delivered' }
 * const callbacks = await world.callbacks.list(mine)
 * callbacks.length // => 1
 * ```
 */
export type CallbackFilter = Omit<FilterOf<'listCallbacks'>, 'transaction'>

/**
 * Which callbacks are waited for.
 * @example
 * ```ts
 * import type { CallbackWaiting } from 'payments-sandbox'
 *
 * const over: CallbackWaiting = { reference: 'order-1', state: 'over', timeout: '10s' }
 * const [callback] = await world.callbacks.waitFor(over)
 * callback?.callback.state // => 'delivered'
 * ```
 */
export type CallbackWaiting = FilterOf<'waitForCallbacks'>

/**
 * What was sent to `callback_url`, and how it went.
 * @example
 * ```ts
 * import type { CallbacksClient } from 'payments-sandbox'
 *
 * const newest = async (callbacks: CallbacksClient) => {
 *   const [callback] = await callbacks.waitFor({ reference: 'order-1' })
 *   return callback?.attempts.length
 * }
 * await newest(world.callbacks) // => 1
 * ```
 */
export interface CallbacksClient {
  list(filter?: CallbackFilter): Promise<readonly Callback[]>
  get(id: number): Promise<CallbackDetails>
  /** The callbacks, as soon as they are there. @throws SandboxError 504 that says what came instead, and why one failed */
  waitFor(filter?: CallbackWaiting): Promise<readonly CallbackDetails[]>
  resend(id: number): Promise<void>
  /** All that failed, or those that fit. */
  resendAll(which?: ResendCallbacksRequest): Promise<ResentCallbacks>
  /** Sends one of a transaction as it is now, wherever and however one likes. */
  fire(wanted: FireCallbackRequest): Promise<CallbackDetails>
}

/**
 * What callbacks are signed with.
 * @example
 * ```ts
 * import type { SignaturesClient } from 'payments-sandbox'
 *
 * const rotated = async (signatures: SignaturesClient) => {
 *   const before = await signatures.secret()
 *   const { secret, older } = await signatures.rotate()
 *   return [secret === before, older.length]
 * }
 * const shop = await world.world()
 * await rotated(shop.signatures) // => [false, 1]
 * ```
 */
export interface SignaturesClient {
  /** What callbacks are signed with now. */
  secret(): Promise<string>
  /** The secrets that are good now, the profiles in use and the public keys. */
  show(): Promise<SigningSecret>
  rotate(how?: RotateSecretRequest): Promise<SigningSecret>
  /** The public keys, as a JSON Web Key Set. */
  keys(): Promise<KeySet>
  /** What is wrong with the signature of a callback as it was received. */
  check(received: SignatureCheckRequest): Promise<SignatureCheck>
}

/**
 * A receiver inside the sandbox, for who has none.
 * @example
 * ```ts
 * import type { InboxClient } from 'payments-sandbox'
 *
 * const received = async (inbox: InboxClient) => {
 *   const messages = await inbox.messages()
 *   return messages.map(({ answered }) => answered)
 * }
 * await received(world.inbox) // => [200]
 * ```
 */
export interface InboxClient {
  /** All there are, by name. */
  list(): Promise<readonly InboxSummary[]>
  /** To be sent as `callback_url`. */
  url(name?: string): Promise<string>
  /** What came, newest first. */
  messages(name?: string): Promise<readonly InboxMessage[]>
  /** What it answers from now on, one after the other, the last one for ever: a status, or `timeout` for none. */
  answer(answers: readonly InboxAnswer[], name?: string): Promise<void>
  /** Forgets what came, and answers 200 again. */
  clear(name?: string): Promise<void>
  /** Sends it a callback of one's own making. @returns what the inbox answered */
  deliver(body: string, headers?: { readonly [name: string]: string }, name?: string): Promise<Response>
}

/** `world.callbacks`. */
export const callbacksOf = (transport: Transport): CallbacksClient => {
  const { call } = transport
  return {
    list: (filter) => listBy(transport, 'callbacks.list', 'listCallbacks', 'callbacks', filter),
    get: (id) => call('getCallback', { path: { id } }),
    async waitFor(filter = {}) {
      requireFilters('callbacks.waitFor', 'waitForCallbacks', filter)
      return (await call('waitForCallbacks', { query: filter })).callbacks
    },
    resend: async (id) => void (await call('resendCallback', { path: { id } })),
    resendAll: (body = {}) => call('resendCallbacks', { body }),
    fire: (body) => call('fireCallback', { body }),
  }
}

/** `world.inbox`. */
export const inboxOf = (transport: Transport): InboxClient => {
  const { call } = transport
  const url = async (name = 'default') =>
    (await call('getInbox', { path: { name }, query: { limit: 1 } })).address
  return {
    list: () => listOf(transport, 'listInboxes', 'inboxes'),
    url,
    messages: (name = 'default') => listOf(transport, 'getInbox', 'messages', { path: { name } }, 100),
    answer: async (answers, name = 'default') =>
      void (await call('scriptInbox', { path: { name }, body: { answers } })),
    clear: async (name = 'default') => void (await call('clearInbox', { path: { name } })),
    async deliver(body, headers = {}, name) {
      const sent = { 'content-type': 'application/json', ...headers }
      return transport.fetch(await url(name), { method: 'POST', headers: sent, body })
    },
  }
}

/** `world.signatures`. */
export const signaturesOf = ({ call }: Transport): SignaturesClient => ({
  secret: async () => (await call('getSigningSecret')).secret,
  show: () => call('getSigningSecret'),
  rotate: (body = {}) => call('rotateSigningSecret', { body }),
  keys: () => call('getSigningKeys'),
  check: (body) => call('checkSignature', { body }),
})
