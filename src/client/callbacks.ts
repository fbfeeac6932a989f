import { listBy, listOf } from './lists.ts'
import { type FilterOf, requireFilters, requireText } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  Callback,
  CallbackDetails,
  FireCallbackRequest,
  InboxResponse,
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
 * Filter of `world.callbacks.list`.
 * @example
 * ```ts
 * const delivered: CallbackFilter = { reference: 'order-1', state: 'delivered' }
 * const callbacks = await world.callbacks.list(delivered)
 * callbacks.length // => 1
 * ```
 */
export type CallbackFilter = Omit<FilterOf<'listCallbacks'>, 'transaction'>

/**
 * Options of `world.callbacks.waitFor`: a filter, how many callbacks, and for how long to wait.
 * @example
 * ```ts
 * const over: CallbackWaiting = { reference: 'order-1', state: 'final', timeout: '10s' }
 * const [callback] = await world.callbacks.waitFor(over)
 * callback?.callback.state // => 'delivered'
 * ```
 */
export type CallbackWaiting = FilterOf<'waitForCallbacks'>

/**
 * The callbacks that a world sends, with their delivery attempts: `world.callbacks`.
 * @example
 * ```ts
 * const [newest] = await world.callbacks.waitFor({ reference: 'order-1' })
 * newest?.attempts.length // => 1
 * ```
 */
export interface CallbacksClient {
  list(filter?: CallbackFilter): Promise<readonly Callback[]>
  get(id: number): Promise<CallbackDetails>
  /** Resolves once enough callbacks match. @throws {SandboxError} 504 on timeout, with the callbacks sent so far. */
  waitFor(filter?: CallbackWaiting): Promise<readonly CallbackDetails[]>
  resend(id: number): Promise<void>
  /** Resends all failed callbacks, or the matching ones. */
  resendAll(which?: ResendCallbacksRequest): Promise<ResentCallbacks>
  /** Sends an extra callback for a transaction in its current state. */
  fire(wanted: FireCallbackRequest): Promise<CallbackDetails>
}

/**
 * The secrets and keys that sign callbacks: `world.signatures`.
 * @example
 * ```ts
 * const shop = await world.world()
 * const { previous } = await shop.signatures.rotate()
 * previous.length // => 1
 * ```
 */
export interface SignaturesClient {
  /** Returns the current secret. */
  secret(): Promise<string>
  /** Returns all valid secrets, the profiles in use and the public keys. */
  show(): Promise<SigningSecret>
  rotate(how?: RotateSecretRequest): Promise<SigningSecret>
  /** Returns the public keys as a JSON Web Key Set. */
  keys(): Promise<KeySet>
  /** Checks the signature of a received callback and explains a mismatch. */
  check(received: SignatureCheckRequest): Promise<SignatureCheck>
}

/**
 * The built-in test receiver: `world.inbox`.
 * @example
 * ```ts
 * const [newest] = await world.inbox.messages()
 * newest?.response_status // => 200
 * ```
 */
export interface InboxClient {
  list(): Promise<readonly InboxSummary[]>
  /** Returns the address to send as `callback_url`. */
  url(name?: string): Promise<string>
  /** Lists received callbacks, newest first. */
  messages(name?: string): Promise<readonly InboxMessage[]>
  /** Scripts the next responses in order and repeats the last: a status each, or `timeout` for no response. */
  respond(responses: readonly InboxResponse[], name?: string): Promise<void>
  /** Deletes received messages and scripted responses. */
  clear(name?: string): Promise<void>
  /** Sends a request of the caller's making to the inbox and returns the response. */
  deliver(body: string, headers?: { readonly [name: string]: string }, name?: string): Promise<Response>
}

export const callbacksOf = (transport: Transport): CallbacksClient => {
  const { call } = transport
  return {
    list: (filter) => listBy(transport, 'callbacks.list', 'listCallbacks', 'callbacks', filter),
    get: (id) => call('getCallback', { path: { id } }),
    async waitFor(filter = {}) {
      requireFilters('callbacks.waitFor', 'waitForCallbacks', filter)
      // An order without a reference would get the callback of another.
      if ('reference' in filter) requireText('callbacks.waitFor', 'a reference', filter.reference!)
      return (await call('waitForCallbacks', { query: filter })).callbacks
    },
    resend: async (id) => void (await call('resendCallback', { path: { id } })),
    resendAll: (body = {}) => call('resendCallbacks', { body }),
    fire: (body) => call('fireCallback', { body }),
  }
}

export const inboxOf = (transport: Transport): InboxClient => {
  const { call } = transport
  const url = async (name = 'default') =>
    (await call('getInbox', { path: { name }, query: { limit: 1 } })).address
  return {
    list: () => listOf(transport, 'listInboxes', 'inboxes'),
    url,
    messages: (name = 'default') => listOf(transport, 'getInbox', 'messages', { path: { name } }, 100),
    respond: async (responses, name = 'default') =>
      void (await call('scriptInbox', { path: { name }, body: { responses } })),
    clear: async (name = 'default') => void (await call('clearInbox', { path: { name } })),
    async deliver(body, headers = {}, name) {
      const sent = { 'content-type': 'application/json', ...headers }
      return transport.fetch(await url(name), { method: 'POST', headers: sent, body })
    },
  }
}

export const signaturesOf = ({ call }: Transport): SignaturesClient => ({
  secret: async () => (await call('getSigningSecret')).secret,
  show: () => call('getSigningSecret'),
  rotate: (body = {}) => call('rotateSigningSecret', { body }),
  keys: () => call('getSigningKeys'),
  check: (body) => call('checkSignature', { body }),
})
