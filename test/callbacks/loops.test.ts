import { describe, expect, it } from 'vitest'
import { readSignatures } from '../../src/callbacks/signatures/profiles/profiles.ts'
import { liveSandbox } from '../support/live.ts'
import { collection } from '../support/requests.ts'
import { refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const mark = { 'cdn-loop': 'payments-sandbox' }
const said =
  /accepts no callbacks of a sandbox \(cdn-loop: payments-sandbox\): callback_url must be the URL of your receiver/

describe('a callback', () => {
  it('carries the mark of RFC 8586', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    expect(w.callbacks()[0]!.headers).toMatchObject(mark)
  })

  it('keeps the mark when signatures write headers', () => {
    const custom =
      '{"profile": "custom", "header": "CDN-Loop", "algorithm": "sha256", "encoding": "hex", "template": "{body}"}'
    expect(() => readSignatures(`[${custom}]`)).toThrow('the header CDN-Loop belongs to the request itself')
  })

  it('to an operation that would create another callback is rejected', async () => {
    const { sandbox: own, api } = await liveSandbox({ PORT: '0', SANDBOX_RETRY_PROFILE: 'none' })
    const { port } = await own.listen()
    const callback_url = `http://demo:demo@127.0.0.1:${port}/sandbox/callbacks/1/resend`
    await api.post('/api/v2/payments', {
      amount: 100,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference: 'loop',
      callback_url,
    })
    const waited = await api.get('/sandbox/callbacks/wait?reference=loop&state=failed&timeout=60s')
    const [{ attempts }] = waited.body.callbacks
    expect(attempts).toMatchObject([{ response: { status: 403, body: expect.stringMatching(said) } }])
  })
})

describe('a request with the mark of a sandbox', () => {
  it.each(['payments-sandbox', 'cloudflare; loops=1, Payments-Sandbox;v=1', 'a,payments-sandbox'])(
    'is refused by what changes something: %s',
    async (value) => {
      const w = world()
      const headers = { 'cdn-loop': value }
      expect(await w.post('/api/v2/payments', collection(w), headers)).toMatchObject(
        refused(400, 'invalid_argument', said),
      )
      expect(await w.post('/sandbox/settle', undefined, headers)).toMatchObject(
        refused(403, 'permission_denied', said),
      )
      expect(await w.post('/__admin/reset', undefined, headers)).toMatchObject(
        refused(403, 'permission_denied', said),
      )
    },
  )

  it('is accepted by reading operations and inboxes', async () => {
    const w = world()
    expect((await w.get('/api/v2/account/63', undefined, mark)).status).toBe(200)
    expect((await w.post('/sandbox/requests/count', {}, mark)).status).toBe(200)
    const { address } = (await w.get('/sandbox/inbox/shop')).body
    const posted = new Request(address, { method: 'POST', body: '{}', headers: mark })
    expect((await sandbox.fetch(posted)).status).toBe(200)
  })

  it.each(['cloudflare', 'payments-sandbox.example', ''])(
    'of another sender is accepted: "%s"',
    async (value) => {
      const w = world()
      expect((await w.post('/api/v2/payments', collection(w), { 'cdn-loop': value })).status).toBe(201)
    },
  )
})
