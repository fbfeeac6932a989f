import { describe, expect, it } from 'vitest'
import { operationsOf } from '../../openapi/document.ts'
import { descriptions } from '../support/descriptions.ts'
import { collection } from '../support/requests.ts'
import { hosted, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { sandbox, world: newWorld } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

const addressOf = async (world: TestWorld) => (await world.get('/sandbox/inbox/shop')).body.address as string
const inboxOf = async (world: TestWorld) => (await world.get('/sandbox/inbox/shop')).body

async function pay(world: TestWorld) {
  await world.post('/api/v2/payments', collection(world, { callback_url: await addressOf(world) }))
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  sandbox.fetch(new Request(url, { method: 'POST', body, headers }))

describe('an inbox', () => {
  it('receives callbacks of its world and reports valid signatures', async () => {
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { messages } = await inboxOf(world)
    expect(messages).toMatchObject([{ response_status: 200, signature_valid: true, signature: 'standard' }])
    expect(JSON.parse(messages[0].body)).toMatchObject({ status: 'success', external_reference: 'order-1' })
    expect((await world.get('/sandbox/callbacks/1')).body.callback.state).toBe('delivered')
  })

  it('reports the real time of arrival', async () => {
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { messages } = await inboxOf(world)
    const { headers, body, url, received_at } = messages[0]
    expect(new Date(received_at).toISOString()).toBe(received_at)
    const check = await world.post('/sandbox/signatures/check', { headers, body, url, received_at })
    expect(check.body.valid).toBe(true)
  })

  it('returns the scripted responses; the last one repeats', async () => {
    const world = newWorld()
    const { status, body } = await world.put('/sandbox/inbox/shop', { responses: [500, 'timeout', 204] })
    expect([status, body.responses]).toEqual([200, [500, 'timeout', 204]])
    await pay(world)
    await world.settle()
    const { attempts } = (await world.get('/sandbox/callbacks/1')).body
    expect(
      attempts.map((each: { response: { status: number } | null }) => each.response?.status ?? null),
    ).toEqual([500, null, 204])
    expect(attempts[1].error).toMatch(/did not respond within the time limit/)
    const { messages, responses_sent } = await inboxOf(world)
    expect([
      messages.map((each: { response_status: number }) => each.response_status),
      responses_sent,
    ]).toEqual([[204, null, 500], 3])
  })

  it('reports what is wrong with a signature', async () => {
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { transaction } = (await world.get('/sandbox/callbacks/1')).body.callback
    await world.post('/sandbox/callbacks/fire', { reference: transaction, fault: 'stale' })
    await world.post('/sandbox/callbacks/fire', { reference: transaction, fault: 'truncated-body' })
    await world.settle()
    const { messages } = await inboxOf(world)
    const holds = messages.map((each: { signature_valid: boolean }) => each.signature_valid)
    expect([holds.at(-1), holds.at(-2), holds.at(-3)]).toEqual([true, false, false])
    expect(messages.at(-2).signature).toMatch(/301 seconds/)
  })

  it('accepts posts to its address without credentials', async () => {
    const world = newWorld()
    const response = await post(await addressOf(world), '{"hello":1}')
    expect(response.status).toBe(200)
    expect((await inboxOf(world)).messages).toMatchObject([{ body: '{"hello":1}', signature_valid: false }])
  })

  it('returns 401 for an address with an invalid key, or none', async () => {
    const world = newWorld()
    const address = await addressOf(world)
    expect((await post(`${address}x`, '{}')).status).toBe(401)
    expect((await post(address.split('?')[0]!, '{}')).status).toBe(401)
    expect((await inboxOf(world)).messages).toEqual([])
  })

  it('has a different key in every world, and shows nothing of another', async () => {
    const [one, other] = [newWorld(), newWorld()]
    await pay(one)
    await one.settle()
    const key = (address: string) => address.split('key=')[1]
    expect(key(await addressOf(one))).not.toBe(key(await addressOf(other)))
    expect((await inboxOf(other)).messages).toEqual([])
  })

  it('can be cleared', async () => {
    const world = newWorld()
    await world.put('/sandbox/inbox/shop', { responses: [500] })
    await post(await addressOf(world), '{}')
    const { status, body } = await world.delete('/sandbox/inbox/shop')
    expect([status, body.messages, body.responses]).toEqual([200, [], [200]])
  })

  it('keeps the last 500 messages of its world', async () => {
    const world = newWorld()
    const address = await addressOf(world)
    for (let n = 1; n <= 502; n++) await post(address, `${n}`)
    const first = await inboxOf(world)
    expect([first.messages.length, first.messages[0].body, first.next_before]).toEqual([100, '502', 403])
    const oldest = (await world.get('/sandbox/inbox/shop?before=103')).body
    expect([oldest.messages.length, oldest.messages.at(-1).body, oldest.next_before]).toEqual([
      100,
      '3',
      null,
    ])
  })

  it.each([
    ['no answers', { responses: [] }],
    ['an answer that is no status', { responses: [99] }],
    ['a word that it does not know', { responses: ['hang'] }],
  ])('returns 400 for %s', async (_, body) => {
    expect(await newWorld().put('/sandbox/inbox/shop', body)).toMatchObject(
      refused(400, 'invalid_argument', /^responses/),
    )
  })

  it('returns 400 for a name with a slash', async () => {
    expect((await newWorld().get('/sandbox/inbox/a%2Fb')).status).toBe(400)
  })
})

describe('a callback to an inbox in hosted mode', () => {
  it('arrives, though loopback addresses are otherwise rejected', async () => {
    const world = (await startSandbox(hosted)).world()
    const address = (await world.get('/sandbox/inbox/shop')).body.address.replace(
      'sandbox.test',
      '127.0.0.1:8080',
    )
    await world.post('/api/v2/payments', collection(world, { callback_url: address }))
    await world.post('/api/v2/payments', collection(world, { callback_url: 'http://127.0.0.1:8080/other' }))
    await world.settle()
    const states = (await world.get('/sandbox/callbacks')).body.callbacks.map(
      (each: { state: string }) => each.state,
    )
    expect(states).toEqual(['failed', 'delivered'])
    expect((await world.get('/sandbox/callbacks/2')).body.attempts[0].error).toMatch(/is a loopback address/)
  })
})

describe('a post to an inbox, as described', () => {
  const { document } = descriptions.find(({ name }) => name.includes('control'))!
  const route = operationsOf(document).find(({ id }) => id === 'deliverToInbox')!
  const described = Object.keys(route.operation.responses!)
  const url = 'http://sandbox.test/sandbox/inbox/shop'
  const authorization = `Basic ${btoa('demo+posted:demo')}`

  it.each([
    ['the credentials of a world', '{}', { authorization }, '200'],
    ['neither key nor credentials', '{}', {}, '401'],
    ['more than a request may have', 'x'.repeat(2 ** 22), { authorization }, '413'],
  ])('%#: with %s', async (_, body, headers, status) => {
    expect(described).toContain(status)
    expect(String((await post(url, body, headers)).status)).toBe(status)
  })

  it.each([
    ['by its address', {}, 200, addressOf],
    ['with the credentials of a browser', { authorization }, 403, async () => url],
  ])('of a page of another site %s: %#', async (_, given, status, address) => {
    const headers = { ...given, origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }
    expect((await post(await address(newWorld()), '{}', headers)).status).toBe(status)
  })

  it('receives any scripted status, without a body', async () => {
    const world = newWorld()
    await world.put('/sandbox/inbox/shop', { responses: [418] })
    const answer = await post(await addressOf(world), '{"n":1}')
    expect([answer.status, await answer.text()]).toEqual([418, ''])
  })
})
