/** Requests to the real service that are free and safe: reads, and requests that it must reject before money moves. */
import { pause } from '../lib/clock/clock.ts'
import { systemSecrets } from '../lib/random/random.ts'

export interface ProbeRequest {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON, or text that is sent as it is. */
  readonly body?: object | string | undefined
  /** The caller's own if omitted. */
  readonly credentials?: 'wrong' | 'none'
  /** Whether the service must reject it, as everything that could start a payment. */
  readonly mustFail?: boolean
}

interface ProbeChoices {
  /** The country that is discovered; `KE` by default. */
  readonly country?: string
  /** A Team whose details are read. */
  readonly account?: number | undefined
}

/** Where requests go, and whose they are. */
export interface SendOptions extends ProbeChoices {
  /** A recording proxy in front of the service. */
  readonly url: string
  readonly user: { readonly username: string; readonly password: string }
  /** Milliseconds from one request to the next; 1,000 by default. */
  readonly every?: number
  readonly signal?: AbortSignal
  readonly onResponse?: (request: ProbeRequest, status: number) => void
}

const CHANNELS = '/api/v2/payment_channels'
const PAYMENT = '/api/v2/payments'
const WITHDRAWAL = '/api/v2/withdraw'
const GLOBAL_PAYMENT = '/api/global/payments'
const DISCOVERY = '/api/global/discovery/payment-world/country'

/**
 * Returns the requests in their order. None could move money even if the service ignored the fault that it is about: a
 * request for a payment has at least two faults, of which one is the amount.
 */
export function probeRequests({ country = 'KE', account }: ProbeChoices): readonly ProbeRequest[] {
  const get = (name: string, path: string): ProbeRequest => ({ name, method: 'GET', path })
  const post = (name: string, path: string, body: object | string): ProbeRequest => ({
    name,
    method: 'POST',
    path,
    body,
    mustFail: true,
  })
  const noMoney = { amount: 0, phone_number: '12', provider: 'm-pesa', network_code: '63902' }
  const mustFail = true
  return [
    get('lists payment channels', `${CHANNELS}?page=1&per=1`),
    get('lists payment channels beyond the last page', `${CHANNELS}?page=100000&per=1`),
    get('discovers a country', `${DISCOVERY}?country=${country}`),
    { ...post('lists providers', '/api/global/transaction-providers', { country }), mustFail: false },
    ...(account === undefined ? [] : [get('reads a Team', `/api/v2/account/${account}`)]),
    { ...get('rejects a request without credentials', CHANNELS), mustFail, credentials: 'none' },
    { ...get('rejects wrong credentials', CHANNELS), mustFail, credentials: 'wrong' },
    { ...get('rejects an unknown Team', '/api/v2/account/999999999'), mustFail },
    { ...get('rejects discovery without a country', DISCOVERY), mustFail },
    { ...get('rejects a country that does not exist', `${DISCOVERY}?country=XX`), mustFail },
    { ...get('rejects a path that does not exist', '/api/v2/probe'), mustFail },
    post('rejects an unknown reference', '/api/global/transaction-status', {
      request_id: `probe-${systemSecrets().slice(0, 12)}`,
    }),
    post('rejects a status query without a reference', '/api/global/transaction-status', {}),
    post('rejects a collection without fields', PAYMENT, {}),
    post('rejects a collection that is not JSON', PAYMENT, '{"amount": 0,'),
    post('rejects a collection with an amount of 0 and a malformed phone number', PAYMENT, noMoney),
    post('rejects a collection with an amount in words', PAYMENT, { ...noMoney, amount: 'none' }),
    post('rejects a withdrawal without fields', WITHDRAWAL, {}),
    post('rejects a withdrawal with an amount of 0', WITHDRAWAL, { ...noMoney, recipient_type: 'MSISDN' }),
    post('rejects a global payment without fields', GLOBAL_PAYMENT, {}),
    post('rejects a global payment with an amount of 0', GLOBAL_PAYMENT, {
      request_type: 'payin',
      transaction_channel: 'momo',
      amount: 0,
      currency: 'XXX',
      country,
    }),
  ]
}

/** A request that the service had to reject was accepted. The message is for the user. */
export class AcceptedError extends Error {
  override readonly name = 'AcceptedError'
}

/**
 * Sends one request after the other.
 * @throws {AcceptedError} at the first 2xx where a rejection was expected; nothing is sent after it
 * @throws {TypeError} if the service does not respond
 */
export async function sendProbe(options: SendOptions): Promise<void> {
  const { url, user, every = 1_000, signal = new AbortController().signal, onResponse } = options
  for (const [n, request] of probeRequests(options).entries()) {
    if (n > 0) await pause(every, signal)
    if (signal.aborted) return
    const { name, method, path, body, credentials, mustFail } = request
    const password = credentials === 'wrong' ? systemSecrets() : user.password
    const basic = Buffer.from(`${user.username}:${password}`).toString('base64')
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal,
      headers: {
        ...(credentials !== 'none' && { authorization: `Basic ${basic}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    await response.arrayBuffer()
    onResponse?.(request, response.status)
    if (mustFail && response.ok)
      throw new AcceptedError(
        `${method} ${path} was accepted with ${response.status} where "${name}" was expected; nothing more is sent. Check at the service whether it had an effect.`,
      )
  }
}
