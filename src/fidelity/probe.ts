/** Requests to the real service that are free and safe: reads, and requests that it must reject before money moves. */
import { pause } from '../lib/clock/clock.ts'
import { systemSecrets } from '../lib/random/random.ts'

export interface ProbeRequest {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON, or text that is sent as it is. */
  readonly body?: object | string | undefined
  readonly credentials: 'valid' | 'wrong' | 'none'
  /** Whether the service may accept the request. Everything that could start a payment must be rejected. */
  readonly expects: 'any response' | 'rejection'
}

interface Choices {
  readonly country: string
  /** A Team whose details are read. */
  readonly account?: number | undefined
}

const PAYMENT = '/api/v2/payments'
const WITHDRAWAL = '/api/v2/withdraw'
const GLOBAL_PAYMENT = '/api/global/payments'
const DISCOVERY = '/api/global/discovery/payment-world/country'

/**
 * Returns the requests in their order. None could move money even if the service ignored the fault that it is about: a
 * request for a payment has at least two faults, of which one is the amount.
 */
export function probeRequests({ country, account }: Choices): readonly ProbeRequest[] {
  const read = { credentials: 'valid', expects: 'any response' } as const
  const rejected = { credentials: 'valid', expects: 'rejection' } as const
  const post = (name: string, path: string, body: object | string): ProbeRequest => ({
    name,
    method: 'POST',
    path,
    body,
    ...rejected,
  })
  const get = (name: string, path: string): ProbeRequest => ({ name, method: 'GET', path, ...read })
  const noMoney = { amount: 0, phone_number: '12', provider: 'm-pesa', network_code: '63902' }
  return [
    get('lists payment channels', '/api/v2/payment_channels?page=1&per=1'),
    get('lists payment channels beyond the last page', '/api/v2/payment_channels?page=100000&per=1'),
    get('discovers a country', `${DISCOVERY}?country=${country}`),
    { ...post('lists providers', '/api/global/transaction-providers', { country }), ...read },
    ...(account === undefined ? [] : [get('reads a Team', `/api/v2/account/${account}`)]),
    {
      ...get('rejects a request without credentials', '/api/v2/payment_channels'),
      credentials: 'none',
      expects: 'rejection',
    },
    {
      ...get('rejects wrong credentials', '/api/v2/payment_channels'),
      credentials: 'wrong',
      expects: 'rejection',
    },
    { ...get('rejects an unknown Team', '/api/v2/account/999999999'), ...rejected },
    { ...get('rejects discovery without a country', DISCOVERY), ...rejected },
    { ...get('rejects a country that does not exist', `${DISCOVERY}?country=XX`), ...rejected },
    { ...get('rejects a path that does not exist', '/api/v2/probe'), ...rejected },
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

interface ProbeOptions {
  /** Where the requests go: a recording proxy in front of the service. */
  readonly url: string
  readonly user: { readonly username: string; readonly password: string }
  readonly requests: readonly ProbeRequest[]
  /** Milliseconds from one request to the next. */
  readonly every: number
  readonly signal: AbortSignal
  readonly onResponse: (request: ProbeRequest, status: number) => void
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
export async function probe({ url, user, requests, every, signal, onResponse }: ProbeOptions): Promise<void> {
  const basic = (password: string) =>
    `Basic ${Buffer.from(`${user.username}:${password}`).toString('base64')}`
  for (const [n, request] of requests.entries()) {
    if (n > 0) await pause(every, signal)
    if (signal.aborted) return
    const { name, method, path, body, credentials, expects } = request
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal,
      headers: {
        ...(credentials !== 'none' && {
          authorization: basic(credentials === 'valid' ? user.password : systemSecrets()),
        }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    await response.arrayBuffer()
    onResponse(request, response.status)
    if (expects === 'rejection' && response.ok)
      throw new AcceptedError(
        `${method} ${path} was accepted with ${response.status} where "${name}" was expected; nothing more is sent. Check at the service whether it had an effect.`,
      )
  }
}
