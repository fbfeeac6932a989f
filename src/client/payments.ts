import type { CallbackBody, ServiceRequest, ServiceResponse } from './operations.ts'
import { requireKnown } from './operations.ts'
import type { ScenarioName } from './scenarios.ts'
import { type Fetch, SandboxError, type Transport } from './transport.ts'
import type { PreparedPayment, PreparePaymentRequest } from '../generated/control/types.ts'

/** The operations that make payments. */
type PaymentOperation = NonNullable<PreparePaymentRequest['operation']>

/**
 * Options of `world.pay` and `world.payOut`. Each has a default.
 * @example
 * ```ts
 * const options: PayOptions = { outcome: 'payer-cancels', amount: 250, reference: 'order-9' }
 * const shop = await world.world()
 * const payment = await shop.pay(options)
 * payment.reference // => 'order-9'
 * ```
 */
export interface PayOptions {
  /** The name or an alias of an outcome, or a reason code; by default, the rules of the world decide. */
  readonly outcome?: ScenarioName | undefined
  /** The receiver of the callback, such as `localhost:3000/callback`; by default an inbox of the world. */
  readonly callbackUrl?: string | undefined
  /** By default the rail of the outcome, otherwise `momo`. */
  readonly rail?: PreparePaymentRequest['rail']
  /** `KE` by default. */
  readonly country?: string | undefined
  /** In major units; by default 1000, or 500 for a payout, within the limits of the network. */
  readonly amount?: number | undefined
  /** The phone of the payer or recipient. */
  readonly phone?: string | undefined
  /** The account of the payer or recipient, such as a bank account. */
  readonly accountNumber?: string | undefined
  /** The Team; by default that of the API key. */
  readonly accountId?: number | undefined
  /** Your reference; by default a new one. */
  readonly reference?: string | undefined
  /** By default by direction, rail and country. */
  readonly operation?: PaymentOperation | undefined
  /** Fields of the request's body to add or replace. Objects are merged. */
  readonly fields?: { readonly [field: string]: unknown } | undefined
}

/**
 * A payment that the service accepted.
 * @example
 * ```ts
 * const shop = await world.world()
 * const payment: Payment = await shop.pay({ outcome: 'no-funds' })
 * payment.outcome // => 'insufficient-funds'
 * payment.operation // => 'createCollection'
 * ```
 */
export interface Payment {
  /** Your reference, with which every other method finds the payment. */
  readonly reference: string
  /** The name of the outcome; null if the rules of the world decide. */
  readonly outcome: string | null
  readonly operation: PaymentOperation
  /** The body that was sent. */
  readonly request: ServiceRequest<PaymentOperation>
  /** The response of the service. */
  readonly response: ServiceResponse<PaymentOperation>
  /** The HTTP status of the response. */
  readonly status: number
  /** The id of the request in the request log, for `world.requests.explain`; empty if the sandbox sends none. */
  readonly requestId: string
}

/**
 * The newest delivered callback of a payment.
 * @example
 * ```ts
 * const shop = await world.world()
 * const payment = await shop.pay({ outcome: 'duplicate-callback' })
 * await shop.settle()
 * const callback: ReceivedCallback = await shop.callback(payment)
 * callback.body.status // => 'success'
 * callback.verified // => true
 * callback.deliveries // => 2
 * ```
 */
export interface ReceivedCallback {
  readonly id: number
  /** Your reference of the payment. */
  readonly reference: string
  readonly url: string
  /** The parsed body; its text if it is not JSON. */
  readonly body: CallbackBody<PaymentOperation>
  /** As sent. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the signature is valid for a secret of the world. */
  readonly verified: boolean
  /** How often the receiver accepted it. */
  readonly deliveries: number
  /** The receiver's last response; null if it did not respond. */
  readonly status: number | null
}

const OPTIONS = [
  'outcome',
  'callbackUrl',
  'rail',
  'country',
  'amount',
  'phone',
  'accountNumber',
  'accountId',
  'reference',
  'operation',
  'fields',
] satisfies (keyof PayOptions)[]

/** Makes a payment with a default for each omitted option. @throws {SandboxError} If the service rejects it. */
export async function pay(
  { call, fetch }: Transport,
  caller: 'pay' | 'payOut',
  options: PayOptions = {},
): Promise<Payment> {
  requireKnown(caller, options, OPTIONS)
  const { callbackUrl: callback_url, accountNumber: account_number, accountId: account_id, ...same } = options
  const direction = caller === 'pay' ? 'payin' : 'payout'
  const body = { ...same, callback_url, account_number, account_id, direction } as const
  const prepared = await call('preparePayment', { body })
  const { operation, method, path, reference, outcome } = prepared
  const { status, answer, requestId } = await sendPrepared(fetch, prepared)
  if (status >= 400) throw new SandboxError(`${method} ${path}`, status, answer, operation)
  return {
    reference,
    outcome,
    operation,
    request: prepared.body as unknown as Payment['request'],
    response: answer as Payment['response'],
    status,
    requestId,
  }
}

/** Sends a prepared payment. `answer` is the parsed body of the response, or its text. */
export async function sendPrepared(fetch: Fetch, { method, path, headers, body }: PreparedPayment) {
  const sent = { 'content-type': 'application/json', ...headers }
  const response = await fetch(path, { method, headers: sent, body: JSON.stringify(body) })
  const text = await response.text()
  const requestId = response.headers.get('sandbox-request-id') ?? ''
  return { status: response.status, text, answer: parsed(text), requestId }
}

/** Returns the newest delivered callback of a payment, checked as a receiver does. @throws {SandboxError} 504 with the reason if none is delivered in time. */
export async function callbackOf(
  { call }: Transport,
  payment: Pick<Payment, 'reference'> | string,
  { timeout }: { readonly timeout?: string | undefined } = {},
): Promise<ReceivedCallback> {
  const reference = referenceOf(payment)
  const { callbacks } = await call('waitForCallbacks', { query: { reference, timeout } })
  const { callback, attempts } = callbacks.at(-1)!
  const last = attempts.at(-1)!
  const { headers, body } = last.request
  const { valid } = await call('checkSignature', { body: { headers, body } })
  return {
    id: callback.id,
    reference,
    url: last.url,
    body: parsed(body) as ReceivedCallback['body'],
    headers,
    verified: valid,
    deliveries: attempts.filter(({ response }) => response && response.status < 300).length,
    status: last.response?.status ?? null,
  }
}

/** Without a reference, the newest callback of any payment would be returned. */
function referenceOf(payment: Pick<Payment, 'reference'> | string): string {
  const reference: unknown = typeof payment === 'string' ? payment : payment?.reference
  if (typeof reference === 'string' && reference !== '') return reference
  throw new TypeError(
    payment instanceof Promise
      ? 'callback: the payment is a promise: await world.pay() first'
      : `callback takes a payment or its reference, got ${JSON.stringify(payment)}`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
