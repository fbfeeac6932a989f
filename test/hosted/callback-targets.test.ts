import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHttpSend } from '../../src/callbacks/http-send.ts'
import type { OutgoingCallback, SendResult } from '../../src/callbacks/send.ts'
import { lookupFor } from '../../src/callbacks/target.ts'
import { collection } from '../support/requests.ts'
import { hosted } from '../support/sandbox.ts'
import { openToStrangers } from './strangers.ts'

const targets = '/sandbox/callback-targets'
const shop = 'https://shop.example'
const DAY = 86_400_000
const verified = { SANDBOX_CALLBACK_TARGETS: 'verified' }

const challengeOf = ({ body }: OutgoingCallback) =>
  (body === '' ? {} : (JSON.parse(body) as { challenge?: string })).challenge

/** A sandbox whose receivers answer so. */
async function withReceivers(
  answer: (outgoing: OutgoingCallback) => Partial<SendResult>,
  env: Record<string, string> = verified,
) {
  const sent: OutgoingCallback[] = []
  const opened = await openToStrangers(env, {
    async send(outgoing) {
      sent.push(outgoing)
      return { status: 200, error: '', ...answer(outgoing) }
    },
  })
  const callbacks = () => sent.filter((each) => each.method !== 'GET' && challengeOf(each) === undefined)
  return { ...opened, sent, callbacks }
}

const echoing = (outgoing: OutgoingCallback) => ({
  body: JSON.stringify({ challenge: challengeOf(outgoing) ?? '' }),
})

type Stranger = Awaited<ReturnType<Awaited<ReturnType<typeof openToStrangers>>['stranger']>>

async function pay({ post, get }: Stranger, callback_url: string, external_reference = 'order-1') {
  const paid = await post('/api/v2/payments', collection({ callback_url }, { external_reference }))
  expect(paid.status).toBe(201)
  await post('/sandbox/settle')
  const { callbacks } = (await get(`/sandbox/callbacks?reference=${external_reference}`)).body
  const { callback, attempts } = (await get(`/sandbox/callbacks/${callbacks[0].id}`)).body
  return { ...callback, attempts }
}

describe('with SANDBOX_CALLBACK_TARGETS=verified', () => {
  it('a payment succeeds, and its callback is sent only after its receiver was verified', async () => {
    const { stranger, callbacks } = await withReceivers(echoing)
    const one = await stranger()
    const callback = await pay(one, `${shop}/callback`)
    expect(callback.state).toBe('failed')
    expect(callback.attempts).toHaveLength(1)
    expect(callback.attempts[0].error).toMatch(
      /^https:\/\/shop\.example was not verified as a callback target of this world .*POST \/sandbox\/callback-targets/,
    )
    expect(callbacks()).toHaveLength(0)
    const shown = await one.post(targets, { url: `${shop}/callback?a=1` })
    expect(shown.status).toBe(201)
    expect(shown.body).toEqual({
      origin: shop,
      verified_at: '2026-06-13T12:00:00.000Z',
      expires_at: '2026-09-11T12:00:00.000Z',
    })
    await one.post(`/sandbox/callbacks/${callback.id}/resend`)
    await one.post('/sandbox/settle')
    expect(callbacks().map(({ url }) => url)).toEqual([`${shop}/callback`])
  })

  it('is signed like a callback, and contains its type', async () => {
    const { stranger, sent } = await withReceivers(echoing)
    await (await stranger()).post(targets, { url: shop })
    expect(sent[0]!.headers['webhook-signature']).toMatch(/^v1,/)
    expect(JSON.parse(sent[0]!.body)).toEqual({
      type: 'callback_target.verification',
      challenge: expect.stringMatching(/^[\w-]{24}$/),
    })
  })

  it('in one world does not apply to another world, port, scheme or host', async () => {
    const { stranger, callbacks } = await withReceivers(echoing)
    const [one, other] = [await stranger(), await stranger()]
    await one.post(targets, { url: shop })
    const theirs = await pay(other, shop)
    expect(theirs.state).toBe('failed')
    for (const [n, url] of ['http://shop.example', `${shop}:8443`, 'https://a.shop.example'].entries())
      expect((await pay(one, url, `o-${n}`)).state).toBe('failed')
    expect(callbacks()).toHaveLength(0)
    expect((await pay(one, `${shop}:443/x`, 'o-9')).state).toBe('delivered')
    const exported = (await one.get('/sandbox/export')).body
    expect((await other.post('/sandbox/import', exported)).status).toBe(200)
    expect((await other.get(targets)).body.callback_targets).toEqual([])
  })

  it('expires after 90 days, and can be renewed', async () => {
    const { stranger, time } = await withReceivers(echoing, { ...verified, SANDBOX_SIGN_UP_TTL: '365d' })
    const one = await stranger()
    await one.post(targets, { url: shop })
    time.now += 90 * DAY
    expect((await one.get(targets)).body).toMatchObject({ required: true, callback_targets: [] })
    expect((await pay(one, shop)).attempts[0].error).toMatch(/was not verified within 90 days/)
    await one.post(targets, { url: shop })
    expect((await pay(one, shop, 'order-2')).state).toBe('delivered')
  })

  it('survives resets by owner and administrator, and restoring a snapshot', async () => {
    const { stranger, ask } = await withReceivers(echoing)
    const one = await stranger()
    const { id } = (await one.post('/sandbox/snapshots', {})).body
    await one.post(targets, { url: shop })
    const shown = async () =>
      (await one.get(targets)).body.callback_targets.map(({ origin }: { origin: string }) => origin)
    await one.post('/sandbox/reset')
    expect(await shown()).toEqual([shop])
    expect((await pay(one, shop)).state).toBe('delivered')
    const headers = { authorization: `Bearer ${hosted.SANDBOX_ADMIN_TOKEN}` }
    expect((await ask('POST', '/__admin/reset', { headers })).status).toBe(200)
    expect(await shown()).toEqual([shop])
    expect((await one.post(`/sandbox/snapshots/${id}/restore`)).status).toBe(200)
    expect(await shown()).toEqual([shop])
  })

  it('a name that resolves to the internal network after the verification is not called (DNS rebinding)', async () => {
    const reached: string[] = []
    const inner = createServer((request, response) => {
      reached.push(request.url!)
      response.end()
    })
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void inner.close(() => resolve())))
    const { port } = inner.address() as AddressInfo
    let isMoved = false
    const address = async () => [{ address: '127.0.0.1', family: 4 as const }]
    const http = createHttpSend({ lookup: () => lookupFor('hosted', address) })
    onTestFinished(() => http.close())
    const { stranger } = await openToStrangers(
      { ...verified, SANDBOX_CALLBACK_PORTS: String(port) },
      {
        send: async (outgoing) =>
          isMoved ? http.send(outgoing) : { status: 200, error: '', ...echoing(outgoing) },
      },
    )
    const one = await stranger()
    const url = `http://shop.example:${port}/callback`
    expect((await one.post(targets, { url })).status).toBe(201)
    isMoved = true
    const callback = await pay(one, url)
    expect(callback.state).toBe('failed')
    expect(callback.attempts[0].error).toMatch(/127\.0\.0\.1/)
    expect((await one.post(targets, { url })).status).toBe(400)
    expect((await one.post(targets, { url, by: 'file' })).status).toBe(400)
    expect(reached).toEqual([])
  })

  it('inboxes of the sandbox need no verification', async () => {
    const { stranger, sent } = await withReceivers(echoing)
    const one = await stranger()
    expect((await pay(one, one.made.inbox_url)).state).toBe('delivered')
    expect((await one.post(targets, { url: one.made.inbox_url })).status).toBe(400)
    expect(sent).toHaveLength(0)
  })

  it('a receiver that stops responding afterwards fails like any other', async () => {
    let away = false
    const { stranger } = await withReceivers((outgoing) =>
      away ? { status: null, error: 'refused' } : echoing(outgoing),
    )
    const one = await stranger()
    await one.post(targets, { url: shop })
    away = true
    expect((await pay(one, shop)).state).toBe('failed')
    expect((await one.get(targets)).body.callback_targets).toHaveLength(1)
  })
})

describe('400 for a receiver', () => {
  it.each([
    ['that takes everything', () => ({ status: 200 })],
    [
      'that shows what it got',
      (outgoing: OutgoingCallback) => ({
        body: JSON.stringify({ data: outgoing.body, json: JSON.parse(outgoing.body) }),
      }),
    ],
    ['that leads elsewhere', (outgoing: OutgoingCallback) => ({ ...echoing(outgoing), status: 302 })],
    ['that refuses', (outgoing: OutgoingCallback) => ({ ...echoing(outgoing), status: 404 })],
    ['that is not there', () => ({ status: null, error: 'connection refused' })],
    ['whose answer is no text of it', () => ({ body: '{"challenge": 5}' })],
  ])('%s', async (_, answer) => {
    const { stranger } = await withReceivers(answer)
    const one = await stranger()
    const refused = await one.post(targets, { url: `${shop}/callback` })
    expect(refused.status).toBe(400)
    expect(refused.body.error_message).toMatch(
      /^https:\/\/shop\.example\/callback (answered|did not answer).*"challenge"/,
    )
    expect((await one.get(targets)).body.callback_targets).toEqual([])
  })

  it.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/',
    'http://10.0.0.1:8080',
    'https://shop.example:22',
    'file:///etc/passwd',
    'shop',
    'http://localhost',
  ])('%s, which is never called', async (url) => {
    const { stranger, sent } = await withReceivers(echoing)
    expect((await (await stranger()).post(targets, { url })).status).toBe(400)
    expect(sent).toHaveLength(0)
  })
})

describe('with a file', () => {
  it('201 if it serves the text of the world, otherwise 400 with the text', async () => {
    let text = 'none'
    const { stranger, sent } = await withReceivers(() => ({ body: `${text}\n` }))
    const [one, other] = [await stranger(), await stranger()]
    const { file } = (await one.get(targets)).body
    const refused = await one.post(targets, { url: `${shop}/callback`, by: 'file' })
    expect(refused.status).toBe(400)
    expect(refused.body.error_message).toContain(file.text)
    expect(sent[0]).toMatchObject({ method: 'GET', url: shop + file.path, body: '' })
    text = file.text
    expect((await other.post(targets, { url: shop, by: 'file' })).status).toBe(400)
    expect((await one.post(targets, { url: shop, by: 'file' })).status).toBe(201)
  })
})

it('429 beyond the rate limit of callback attempts, so that no host is flooded', async () => {
  const { stranger, sent } = await withReceivers(() => ({}), { ...verified, SANDBOX_SIGN_UP_CALLBACKS: '3' })
  const { post } = await stranger()
  for (let n = 0; n < 3; n++) expect((await post(targets, { url: shop })).status).toBe(400)
  expect((await post(targets, { url: shop })).status).toBe(429)
  expect(sent).toHaveLength(3)
})

it('without the setting no verification is required, as the list shows', async () => {
  const { stranger } = await withReceivers(echoing, {})
  const one = await stranger()
  expect((await one.get(targets)).body.required).toBe(false)
  expect((await pay(one, shop)).state).toBe('delivered')
})
