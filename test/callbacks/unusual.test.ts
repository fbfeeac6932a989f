import type http from 'node:http'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { DEMO_SIGNING_SECRET } from '../../src/callbacks/signatures/secrets.ts'
import { type Arrived, liveSandbox, receiver } from '../support/live.ts'
import { collection } from '../support/requests.ts'

const { api, sandbox } = await liveSandbox({ SANDBOX_CALLBACK_TIMEOUT: '5s' })

const verify = ({ headers, body }: Arrived) =>
  new Webhook(DEMO_SIGNING_SECRET.slice(6)).verify(body, headers) as Record<string, unknown>

let named = 0
/** Asks without the check that answers are as the description says. */
async function ask(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await sandbox.fetch(
    new Request(`http://sandbox.test${path}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    }),
  )
  return (await answer.json()) as Record<string, unknown>
}

/** Pays under a scenario of these words, and does what is owed. */
async function pay(then: object, target: { readonly url: string }) {
  const name = `unusual-${++named}`
  const put = await api.put(`/sandbox/scenarios/${name}`, { title: name, then })
  expect(put.status, JSON.stringify(put.body)).toBe(200)
  const paid = await ask('/api/v2/payments', collection({ callback_url: target.url }), {
    prefer: `scenario=${name}`,
  })
  await api.post('/sandbox/clock/freeze')
  await api.post('/sandbox/settle')
  return paid
}

/** The reference of a payment, whatever its answer calls it. */
async function referenceOf() {
  const { body } = await api.get('/sandbox/transactions?limit=1')
  return body.transactions[0].reference as string
}

describe('concurrent copies', () => {
  it('all arrive before the first response, and are one callback with an attempt each', async () => {
    const waiting: http.ServerResponse[] = []
    const target = await receiver((response) => {
      waiting.push(response)
      if (waiting.length === 10) for (const each of waiting) each.end()
    })
    await pay({ callback: { times: 10, concurrent: true } }, target)
    expect(target.arrived).toHaveLength(10)
    expect(new Set(target.arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const { body } = await api.get(`/sandbox/callbacks?transaction=${await referenceOf()}`)
    expect(body.callbacks).toMatchObject([{ state: 'delivered', attempt_count: 10 }])
  })

  it('are followed by one retry if all fail, and by none if one arrives', async () => {
    let asked = 0
    const target = await receiver((response) => {
      response.statusCode = ++asked <= 3 ? 500 : 200
      response.end()
    })
    await pay({ callback: { times: 3, concurrent: true } }, target)
    expect(asked).toBe(4)
    let other = 0
    const lucky = await receiver((response) => {
      response.statusCode = ++other === 2 ? 200 : 500
      response.end()
    })
    await pay({ callback: { times: 3, concurrent: true } }, lucky)
    expect(other).toBe(3)
  })

  it('must be at least two', async () => {
    const put = await api.put('/sandbox/scenarios/alone', {
      title: 'x',
      then: { callback: { concurrent: true } },
    })
    expect(put.status).toBe(400)
    expect(put.body.error_message).toContain('concurrent needs times')
  })
})

describe('set', () => {
  it('changes and adds fields of the body, with a valid signature', async () => {
    const target = await receiver()
    await pay({ callback: { set: { amount: 1, currency: 'UGX', extra: { deep: [1] } } } }, target)
    expect(verify(target.arrived[0]!)).toMatchObject({
      status: 'success',
      amount: 1,
      currency: 'UGX',
      extra: { deep: [1] },
    })
  })

  it('also sets fields of the nested shape', async () => {
    const target = await receiver()
    await pay(
      { callback: { shape: 'nested', set: { amount: 1, external_reference: 'nobody', other: 2 } } },
      target,
    )
    expect(verify(target.arrived[0]!)).toMatchObject({
      other: 2,
      response: { Amount: 1, ExternalReference: 'nobody', Status: 'Success' },
    })
  })

  it('rejects values that are not a map, empty maps and long ones', async () => {
    for (const set of [[], {}, 'x', { a: 'x'.repeat(5_000) }]) {
      const put = await api.put('/sandbox/scenarios/no-map', { title: 'x', then: { callback: { set } } })
      expect(put.status, JSON.stringify(set).slice(0, 20)).toBe(400)
      expect(put.body.error_message).toContain('set')
    }
  })
})

describe('the request', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'GET', 'HEAD'])('uses %s, with a valid signature', async (method) => {
    const target = await receiver()
    await pay({ callback: { method } }, target)
    const [came] = target.arrived
    expect(came!.method).toBe(method)
    const without = method === 'GET' || method === 'HEAD'
    expect(came!.body.length === 0).toBe(without)
    expect(without || verify(came!)['status']).toBe(without || 'success')
  })

  it('can have another content type than JSON', async () => {
    const target = await receiver()
    await pay({ callback: { contentType: 'text/plain' } }, target)
    expect(target.arrived[0]!.headers['content-type']).toBe('text/plain')
  })

  it('can have a megabyte of trailing spaces, which are not stored', async () => {
    const target = await receiver()
    await pay({ callback: { padding: 1_048_576 } }, target)
    expect(target.arrived[0]!.body.length).toBeGreaterThan(1_048_576)
    expect(verify(target.arrived[0]!)).toMatchObject({ status: 'success' })
    const { body } = await api.get(`/sandbox/callbacks?transaction=${await referenceOf()}`)
    const details = await api.get(`/sandbox/callbacks/${body.callbacks[0].id}`)
    expect(JSON.stringify(details.body).length).toBeLessThan(5_000)
  })
})

it('a lost response is sent again with the same id, once', async () => {
  const target = await receiver()
  await pay({ callback: 'lost-response' }, target)
  expect(target.arrived.map(verify)).toMatchObject([{ status: 'success' }, { status: 'success' }])
  expect(new Set(target.arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const { body } = await api.get(`/sandbox/callbacks?transaction=${await referenceOf()}`)
  expect(body.callbacks[0]).toMatchObject({ state: 'delivered', attempt_count: 2 })
})

describe('fire', () => {
  it('sends concurrent copies of a callback without a payment', async () => {
    const target = await receiver()
    await pay({ callback: 'drop' }, target)
    const { status, body } = await api.post('/sandbox/callbacks/fire', {
      reference: await referenceOf(),
      set: { external_reference: 'nobody', reference: 'nobody' },
      copies: 3,
      method: 'PUT',
    })
    expect(status, JSON.stringify(body)).toBe(200)
    await api.post('/sandbox/settle')
    expect(target.arrived.map(verify)).toMatchObject(
      Array.from({ length: 3 }, () => ({ external_reference: 'nobody', reference: 'nobody' })),
    )
    expect(target.arrived.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT'])
  })

  it.each([
    { copies: 0 },
    { copies: 101 },
    { method: 'POST' },
    { content_type: 'a\nb' },
    { padding: 9_999_999 },
    { set: [] },
  ])('400 with %o', async (wrong) => {
    const target = await receiver()
    await pay({ callback: 'drop' }, target)
    const { status, body } = await api.post('/sandbox/callbacks/fire', {
      reference: await referenceOf(),
      ...wrong,
    })
    expect(status).toBe(400)
    expect(body.error_message).toContain(Object.keys(wrong)[0])
  })
})

describe('responses that differ', () => {
  it('a status query contradicts the callback, and the ledger is correct', async () => {
    const target = await receiver()
    await pay({ statusQuery: { status: 'failed', reason: 'expired', set: { more: 1 } } }, target)
    const reference = await referenceOf()
    const body = await ask('/api/global/transaction-status', { request_id: reference })
    expect(body).toMatchObject({ status: 'failed', success: false, more: 1 })
    expect(verify(target.arrived[0]!)).toMatchObject({ status: 'success' })
    const seen = await api.get(`/sandbox/transactions/${reference}`)
    expect(JSON.stringify(seen.body)).toContain('SUCCESS')
  })

  it('a response has undocumented fields', async () => {
    const target = await receiver()
    const answered = await pay({ response: { set: { risk_score: 12 } } }, target)
    expect(answered['risk_score']).toBe(12)
  })
})
