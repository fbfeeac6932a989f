import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../support/requests.ts'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

/** A world with a collection of 1,000, one of 20 that is refused, and a payout. */
async function someRequests() {
  const w = world()
  const paid = await w.post('/api/v2/payments', collection(w))
  await w.post('/api/v2/payments', collection(w, { amount: 0.5, external_reference: 'order-2' }))
  await w.post('/api/v2/withdraw', withdrawal(w))
  return { w, reference: paid.body.reference as string }
}
const idsIn = (answer: { body: { requests: { id: string }[] } }) => answer.body.requests.map(({ id }) => id)

describe('the request log', () => {
  it('shows no reference of a rejected request that has another value in its place', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w, { external_reference: { a: 1 } }))
    const { status, body } = await w.get('/sandbox/requests/wait?reference=never&timeout=0')
    expect([status, body.others]).toEqual([504, [expect.objectContaining({ id: 'req_1', reference: null })]])
  })

  it('contains every request with its response, newest first, without secrets', async () => {
    const { w } = await someRequests()
    const listed = await w.get('/sandbox/requests')
    expect(idsIn(listed)).toEqual(['req_3', 'req_2', 'req_1'])
    const [payout, refusedOne] = listed.body.requests
    expect(payout).toMatchObject({ operation: 'createWithdrawal', status: 200, path: '/api/v2/withdraw' })
    expect(payout.headers).toContainEqual({ name: 'authorization', value: 'Basic [redacted]' })
    expect(refusedOne).toMatchObject({ status: 400, response: { error_code: 'invalid_argument' } })
    expect(JSON.stringify(listed.body)).not.toMatch(/ZGVtb/)
  })

  it('contains requests to unknown paths, and none of other worlds', async () => {
    const [w, other] = [world(), world()]
    await w.get('/api/v2/payments/UFD003217286.iI')
    await other.get('/api/v2/account/63')
    expect((await w.get('/sandbox/requests')).body.requests).toMatchObject([{ operation: null, status: 404 }])
    expect((await other.get('/sandbox/requests')).body.total).toBe(1)
    expect((await other.get('/sandbox/requests/req_2')).status).toBe(404)
  })

  it.each([
    ['operation=createCollection', ['req_2', 'req_1']],
    ['status=400', ['req_2']],
    ['result=accepted', ['req_3', 'req_1']],
    ['result=rejected', ['req_2']],
    ['result=failed', []],
    ['path=/api/v2/withdraw&method=POST', ['req_3']],
    ['reference=order-2', ['req_2']],
    ['limit=1', ['req_3']],
    ['before=req_3&limit=1', ['req_2']],
    ['before=req_1', []],
    ['search=ORDER-2', ['req_2']],
    ['search=createWith', ['req_3']],
    ['search=invalid_argument', ['req_2']],
    ['search=api/v2/payments&status=201', ['req_1']],
    ['search=payments&limit=1', ['req_2']],
    ['search=no-such-text', []],
    ['search=%5B%7B%28.*%5C', []],
  ])('is filtered by ?%s', async (query, ids) => {
    const { w } = await someRequests()
    expect(idsIn(await w.get(`/sandbox/requests?${query}`))).toEqual(ids)
  })

  it('is not searched in hidden values', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w, { password: 'hunter-22', note: 'hunted' }))
    expect(idsIn(await w.get('/sandbox/requests?search=hunter-22'))).toEqual([])
    expect(idsIn(await w.get('/sandbox/requests?search=hunted'))).toEqual(['req_1'])
    expect(idsIn(await w.get('/sandbox/requests?search=ZGVtb'))).toEqual([])
  })

  it('ignores an empty search', async () => {
    expect((await world().get('/sandbox/requests?search=')).status).toBe(400)
  })

  it('finds requests by the reference in the response', async () => {
    const { w, reference } = await someRequests()
    expect(idsIn(await w.get(`/sandbox/requests?reference=${reference}`))).toEqual(['req_1'])
  })

  it.each([
    [{}, 3],
    [{ operation: 'createCollection' }, 2],
    [{ operation: ['createCollection', 'createWithdrawal'], status: 200 }, 1],
    [{ amount: { gte: 500 } }, 2],
    [{ amount: { gt: 500, lt: 5_000 } }, 1],
    [{ party: { endsWith: '5678' } }, 3],
    [{ party: { startsWith: '254' }, direction: 'payout' }, 1],
    [{ 'body.external_reference': { matches: '^order-\\d$' } }, 2],
    [{ 'response.error_code': { exists: true } }, 1],
    [{ 'headers.X-Nothing': { exists: false } }, 3],
    [{ status: { not: 400 } }, 2],
    [{ 'body.callback_urls': { exists: true } }, 0],
    [{ party: { ending: '002' } }, 0],
    [{ party: { not: { ending: '002' } } }, 3],
    [{ 'headers.content-type': ['application/json', 'text/plain'] }, 3],
    [{ 'body.nothing': { matches: '.*' } }, 0],
  ])('counts requests that meet %o', async (conditions, count) => {
    const { w } = await someRequests()
    expect((await w.post('/sandbox/requests/count', conditions)).body.count).toBe(count)
    expect((await w.post('/sandbox/requests/find', conditions)).body.total).toBe(count)
  })

  it('matches test numbers, and numbers as text in queries', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w, { phone_number: '0700000002' }))
    await w.post('/api/v2/payments', collection(w))
    await w.get('/api/v2/payment_channels?page=2&per=')
    const found = async (conditions: object) => idsIn(await w.post('/sandbox/requests/find', conditions))
    expect(await found({ party: { ending: '002' } })).toEqual(['req_1'])
    expect(await found({ party: { not: { ending: '002' } }, amount: { gt: 1 } })).toEqual(['req_2'])
    expect(await found({ 'query.page': { gte: 2, lt: 2.5 } })).toEqual(['req_3'])
    expect(await found({ 'query.per': { exists: false } })).toEqual(['req_3', 'req_2', 'req_1'])
  })

  it.each([
    [{ ammount: 1 }, /^fact "ammount" is not known \(did you mean amount\?\)/],
    [{ amount: { greater: 1 } }, /^amount\.greater: "greater" is not a known key \(known are startsWith/],
    [{ amount: { lt: 'x' } }, 'amount.lt must be a number, got "x"'],
    [{ party: { matches: '(' } }, 'party.matches: "(" is not a regular expression: missing closing ): ('],
    [{ party: { exists: 'yes' } }, 'party.exists must be true or false, got "yes"'],
    [{ party: { startsWith: 254 } }, 'party.startsWith must be text in quotes, got 254'],
    [{ party: { ending: '2' } }, 'party.ending must be three digits in quotes, such as "002", got "2"'],
    [{ amount: { ending: '002' } }, 'amount.ending: test numbers are for party'],
    [{ status: { not: { ending: '002' } } }, 'status.not.ending: test numbers are for party'],
    [{ status: [] }, 'status must name at least one, got []'],
    [{ status: {} }, 'status: is empty; give a value, or a test such as startsWith'],
    [{ channel_id: null }, /^channel_id must be a value, a list of values, or a map such as/],
  ])('returns 400 for the conditions %o', async (conditions, message) => {
    expect(await world().post('/sandbox/requests/count', conditions)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('drops the oldest requests, and everything when cleared', async () => {
    const few = await startSandbox({ SANDBOX_REQUEST_LOG_SIZE: '2' })
    const w = few.world()
    for (let n = 0; n < 3; n++) await w.get('/api/v2/account/63')
    expect(idsIn(await w.get('/sandbox/requests'))).toEqual(['req_3', 'req_2'])
    expect((await w.delete('/sandbox/requests')).body).toEqual({ deleted: 2 })
    expect((await w.get('/sandbox/requests')).body.total).toBe(0)
    expect((await w.get('/sandbox/requests/req_3')).status).toBe(404)
    for (let n = 0; n < 3; n++) await w.get('/api/v2/account/63')
    expect(idsIn(await w.get('/sandbox/requests'))).toEqual(['req_6', 'req_5'])
    expect((await w.get('/sandbox/requests/req_4')).status).toBe(404)
    expect((await w.get('/sandbox/requests/req_06')).status).toBe(404)
  })

  it('stores 64 KiB of a body', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w, { external_reference: 'x'.repeat(100_000) }))
    expect((await w.get('/sandbox/requests/req_1')).body.body).toHaveLength(65_536)
  })
})

describe('waitForRequests', () => {
  it('returns 200 at once for existing requests', async () => {
    const { w } = await someRequests()
    const answer = await w.get('/sandbox/requests/wait?reference=order-1')
    expect(answer.body).toMatchObject({ requests: [{ id: 'req_1' }] })
  })

  it('returns 200 as soon as the last one arrives', async () => {
    const w = world()
    const waiting = w.get('/sandbox/requests/wait?operation=createCollection&count=2&timeout=20s')
    await w.post('/api/v2/payments', collection(w))
    await w.post('/api/v2/payments', collection(w))
    expect((await waiting).body.requests).toHaveLength(2)
  })

  it('returns 504 with other requests after the timeout', async () => {
    const { w } = await someRequests()
    const answer = await w.get('/sandbox/requests/wait?reference=order-9&timeout=0')
    expect(answer).toMatchObject({
      status: 504,
      body: {
        error_message: expect.stringMatching(/^0 of 1 requests arrived so far; the last others were POST/),
        requests: [],
        others: [
          { id: 'req_3', reference: 'payout-1' },
          { id: 'req_2', reference: 'order-2' },
          { id: 'req_1' },
        ],
      },
    })
  })

  it('returns 400 for an invalid timeout', async () => {
    expect((await world().get('/sandbox/requests/wait?timeout=soon')).status).toBe(400)
  })
})

describe('copies', () => {
  it('curl repeats the same request', async () => {
    const w = world()
    const body = collection(w, { external_reference: "it's" })
    await w.post('/api/v2/payments', body, { 'x-trace': 'a b' })
    const command: string = (await w.get('/sandbox/requests/req_1/curl')).body
    expect(command).toContain('-u "$API_USERNAME:$API_PASSWORD"')
    // The shell shows what curl would be given.
    const script = `curl() { printf '%s\\n' "$@"; }\n${command}`
    const given = execFileSync('sh', ['-c', script], {
      env: { ...process.env, API_USERNAME: 'demo+a', API_PASSWORD: 'p' },
      encoding: 'utf8',
    }).split('\n')
    expect(given).toContain('demo+a:p')
    expect(given).toContain('http://sandbox.test/api/v2/payments')
    expect(given).toContain('x-trace: a b')
    expect(JSON.parse(given[given.indexOf('--data-raw') + 1]!)).toEqual(body)
  })

  it('HAR has one entry per request', async () => {
    const { w } = await someRequests()
    const { log } = (await w.get('/sandbox/requests/har')).body
    expect(log).toMatchObject({ version: '1.2', creator: { name: 'payments-sandbox' } })
    expect(log.entries).toHaveLength(3)
    expect(log.entries[0]).toMatchObject({
      request: { method: 'POST', url: 'http://sandbox.test/api/v2/payments' },
      response: { status: 201, content: { mimeType: 'application/json' } },
    })
    expect(log.entries[0].response.headers).toEqual(
      expect.arrayContaining([
        { name: 'content-type', value: 'application/json' },
        { name: 'sandbox-request-id', value: 'req_1' },
      ]),
    )
    expect(JSON.parse(log.entries[0].request.postData.text)).toEqual(collection(w))
  })
})

describe('an unknown path', () => {
  it('is not logged for a caller with wrong credentials', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    await client(sandbox, w.world().name, 'wrong').get('/nowhere')
    expect((await w.get('/sandbox/requests')).body.total).toBe(0)
  })
})

describe('secrets of a request', () => {
  const hidden = [
    '4321-pin',
    '4242424242424242',
    'cvv-777',
    'auth-8888',
    'key-9999',
    'query-1111',
    'camel-2222',
  ]
  const body = {
    pin: '4321-pin',
    card_number: '4242424242424242',
    customer: { cvv: 'cvv-777', userPin: 'camel-2222', is_pin_set: true },
  }
  const sent = async (text: unknown = body) => {
    const w = world()
    await w.post('/api/v2/payments?access_token=query-1111', text, {
      'x-auth-token': 'auth-8888',
      'x-api-key': 'key-9999',
    })
    return w
  }

  it.each([
    '/sandbox/requests',
    '/sandbox/requests/req_1',
    '/sandbox/requests/req_1/curl',
    '/sandbox/requests/har',
    '/sandbox/requests/wait?reference=none&timeout=0',
  ])('are hidden in %s', async (path) => {
    const shown = JSON.stringify((await (await sent()).get(path)).body)
    for (const secret of hidden) expect(shown).not.toContain(secret)
  })

  it('are hidden in a body that is invalid or truncated JSON', async () => {
    for (const text of [
      JSON.stringify(body).slice(0, -20),
      'pin=4321-pin&card_number=4242424242424242&amount=1',
    ]) {
      const w = await sent(text)
      for (const path of ['/sandbox/requests', '/sandbox/requests/req_1/curl', '/sandbox/requests/har']) {
        const shown = JSON.stringify((await w.get(path)).body)
        expect(shown).toContain('[redacted]')
        for (const secret of hidden) expect(shown).not.toContain(secret)
      }
    }
  })

  it('hide nothing else', async () => {
    const w = await sent({ ...body, shipping: 'spinach', is_pin_set: true, japan: 'company' })
    const [request] = (await w.get('/sandbox/requests')).body.requests
    expect(request.body).toMatchObject({ shipping: 'spinach', is_pin_set: true, japan: 'company' })
    expect(request.path).toBe('/api/v2/payments?access_token=[redacted]')
  })
})
