/** A service that drifts on purpose: a sandbox behind a layer that changes its messages, and the traffic of a shop with it. */
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import type { HarEntry, Recording } from '../../src/fidelity/har.ts'
import { globalPayment } from '../support/requests.ts'
import { defaultSeed } from '../../src/worlds/default-seed.ts'

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any JSON
type Json = any

export interface Told {
  status: number
  headers: Record<string, string>
  body: Json
}

export interface Asked {
  readonly operation: string
  readonly body: Json
  readonly query: URLSearchParams
  /** How many requests of the operation came before. */
  readonly before: readonly Json[]
}

/** A change of the service's behaviour, and the difference that comparison must report. */
export interface Drift {
  readonly name: string
  readonly response?: (told: Told, asked: Asked) => void
  /** Responds in place of the sandbox. */
  readonly instead?: (asked: Asked) => Told | undefined
  /** Changes what the sandbox behind gets. */
  readonly request?: (body: Json, operation: string) => void
  readonly callback?: (told: { headers: Record<string, string>; body: Json }, operation: string) => void
  /** Milliseconds until the result. */
  readonly settles?: number
  readonly retries?: readonly number[]
  readonly times?: number
  /** The differences that it causes: operation, place, field, kind. */
  readonly differences: readonly string[]
}

const START = Date.parse('2026-11-23T09:00:00Z')
const MINUTE = 60_000
const paths: Record<string, string> = {
  'POST /api/v2/payments': 'createCollection',
  'POST /api/v2/withdraw': 'createWithdrawal',
  'POST /api/global/payments': 'createGlobalPayment',
  'POST /api/global/transaction-status': 'getTransactionStatus',
  'GET /api/v2/payment_channels': 'listPaymentChannels',
  'POST /api/v2/accounts': 'createAccount',
}
const clone = (value: Json) => structuredClone(value)

/** Records the traffic of a shop with a service that has these drifts. */
export async function recordingOf(drifts: readonly Drift[], rounds = 4): Promise<Recording> {
  const seed = defaultSeed('shop', 'secret')
  let now = START
  const sent: { url: string; headers: Record<string, string>; body: Json; at: number }[] = []
  const sandbox = await createSandbox({
    config: readConfig(
      {
        SANDBOX_HEADERS: 'off',
        LOG_LEVEL: 'silent',
        SANDBOX_IN_CONTAINER: 'off',
        SANDBOX_SEED: 'the service',
        SANDBOX_SETTLE_AFTER: '30000d',
        SANDBOX_RETRY_PROFILE: 'none',
      },
      true,
    ),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => START }),
    wall: () => now,
    clock: { real_anchor: START, world_anchor: START, speed: 0 },
    calendar: false,
    seed,
    async send({ url, headers, body }) {
      sent.push({ url, headers: { ...headers }, body: JSON.parse(body), at: now })
      return { status: 200, error: '' }
    },
  })
  const authorization = `Basic ${Buffer.from('shop:secret').toString('base64')}`
  const entries: HarEntry[] = []
  const fields = (headers: Record<string, string>) =>
    Object.entries(headers).map(([name, value]) => ({ name, value }))
  const asked = new Map<string, Json[]>()

  const behind = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Json,
  ): Promise<Told> => {
    const response = await sandbox.fetch(
      new Request(`http://service.test${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  const advance = async (to: number) => {
    now = Math.max(now, to)
    await sandbox.scheduler.advance(sandbox.worlds.get('shop')!, now)
  }
  const request = async (method: string, path: string, body?: Json, credentials = authorization) => {
    const operation = paths[`${method} ${path.split('?')[0]}`]!
    const query = new URLSearchParams(path.split('?')[1])
    const before = asked.get(operation) ?? []
    const about: Asked = { operation, body, query, before }
    const headers = { 'content-type': 'application/json', authorization: credentials }
    const changed = clone(body)
    if (changed) for (const { request: change } of drifts) change?.(changed, operation)
    const instead = drifts.map((drift) => drift.instead?.(about)).find((each) => each !== undefined)
    const told = instead ?? (await behind(method, path, headers, changed))
    if (!instead) for (const { response } of drifts) response?.(told, about)
    asked.set(operation, [...before, body])
    entries.push({
      startedDateTime: new Date(now).toISOString(),
      time: 40,
      request: {
        method,
        url: `https://api.service.example${path}`,
        headers: fields({
          ...headers,
          authorization: `Basic [redacted ${credentials === authorization ? 1 : 2}]`,
        }),
        ...(body !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
      },
      response: {
        status: told.status,
        headers: fields(told.headers),
        content: {
          size: 0,
          mimeType: 'application/json',
          text: told.body === undefined ? '' : JSON.stringify(told.body),
        },
      },
    })
    await advance(now + 100)
    return told
  }
  /** Ends the newest payment of the sandbox behind, and delivers its callback as the service does. */
  const end = async (operation: string, outcome: Json, attempts = 1) => {
    const after = drifts.map(({ settles }) => settles).find((each) => each !== undefined) ?? 2_000
    await advance(now + after - 60)
    const list = await behind('GET', '/sandbox/transactions?limit=1', { authorization })
    const { reference } = list.body.transactions[0]
    const simulated = await behind(
      'POST',
      `/sandbox/transactions/${reference}/simulate`,
      { authorization, 'content-type': 'application/json' },
      outcome,
    )
    if (simulated.status !== 200) throw new Error(JSON.stringify(simulated))
    await advance(now)
    const callback = sent.shift()!
    for (const { callback: change } of drifts) change?.(callback, operation)
    const gaps = drifts.map(({ retries }) => retries).find((each) => each !== undefined) ?? [1_000, 5_000]
    const times = drifts.map(({ times: count }) => count).find((each) => each !== undefined) ?? 1
    const deliver = (status: number) =>
      entries.push({
        startedDateTime: new Date(now).toISOString(),
        time: 5,
        request: {
          method: 'POST',
          url: callback.url,
          headers: fields(callback.headers),
          postData: { mimeType: 'application/json', text: JSON.stringify(callback.body) },
        },
        response: { status, headers: [], content: { size: 0, mimeType: '', text: '' } },
        _callback: {},
      })
    for (let n = 1; n < attempts; n++) {
      deliver(500)
      await advance(now + gaps[n - 1]!)
    }
    for (let n = 0; n < times; n++) deliver(200)
    await advance(now + MINUTE)
  }

  await behind('GET', '/sandbox/clock', { authorization })
  const callback_url = 'https://shop.example/callback'
  const idOf = (told: Told, n: number) =>
    [told.body?.reference, told.body?.merchant_reference, told.body?.tracking_reference, told.body?.id][n] ??
    'UNKNOWN'
  for (let n = 0; n < rounds; n++) {
    const phone_number = `2547123${String(45_678 + n)}`
    const collection = {
      amount: 1_000.25 + n,
      phone_number,
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference: `order-${n}`,
      callback_url,
    }
    const paid = await request('POST', '/api/v2/payments', collection)
    if (paid.status < 300) {
      await request('POST', '/api/global/transaction-status', { request_id: idOf(paid, 0) })
      await end(
        'createCollection',
        n % 2 === 0
          ? { outcome: 'success' }
          : { outcome: 'failed', reason: n % 4 === 1 ? 'cancelled' : 'insufficient_funds' },
        n === 2 ? 3 : 1,
      )
      await request('POST', '/api/global/transaction-status', { request_id: idOf(paid, 0) })
    }
    const payout = {
      external_reference: `payout-${n}`,
      account_id: 63,
      amount: 500 + n,
      phone_number,
      channel: 'phone',
      recipient_type: 'MSISDN',
      account_number: phone_number,
      callback_url,
    }
    const out = await request('POST', '/api/v2/withdraw', payout)
    if (out.status < 300) await end('createWithdrawal', { outcome: 'success' })
    const global = globalPayment(
      { callback_url },
      {
        amount: 700 + n,
        customer: { first_name: 'Jane', last_name: 'Doe', phone: phone_number, country: 'KE' },
      },
    )
    const made = await request('POST', '/api/global/payments', global)
    if (made.status < 300) await end('createGlobalPayment', { outcome: 'success' })
    await request('GET', '/api/v2/payment_channels?account_id=63')
    // What is rejected.
    await request('POST', '/api/v2/payments', {
      ...collection,
      phone_number: `12${n}`,
      external_reference: `bad-${n}`,
    })
    await request('POST', '/api/v2/payments', { ...collection, amount: 0, external_reference: `zero-${n}` })
    await request('POST', '/api/global/transaction-status', { request_id: `UNKNOWN-${n}` })
    await request('GET', '/api/v2/payment_channels?account_id=63', undefined, 'Basic d3Jvbmc6d3Jvbmc=')
    await request('POST', '/api/v2/withdraw', {
      ...payout,
      channel: 'pigeon',
      external_reference: `pigeon-${n}`,
    })
  }
  // A repeated reference, and a small amount.
  const again = {
    amount: 1_000,
    phone_number: '254712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference: 'order-0',
    callback_url,
  }
  const repeated = await request('POST', '/api/v2/payments', again)
  if (repeated.status < 300) await end('createCollection', { outcome: 'success' })
  const small = await request('POST', '/api/v2/payments', {
    ...again,
    amount: 15,
    external_reference: 'small',
  })
  if (small.status < 300) await end('createCollection', { outcome: 'success' })
  await sandbox.close()
  return { entries, sha256: '0'.repeat(64), notes: [] }
}
