import { OpenAPIHono } from '@hono/zod-openapi'
import { Hono } from 'hono'
import { hc } from 'hono/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/index.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
})
afterAll(() => sandbox.close())

const about = { openapi: '3.1.0', info: { title: 'Payments', version: '2.0.0' } }
const payment = {
  account_id: 63,
  amount: 1000,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  external_reference: 'order-1',
}

/** An application of somebody else's, with the sandbox below a path. */
const mounted = () => new Hono().get('/health', (c) => c.text('well')).route('/shop/payments', sandbox.app)

const authorized = () => ({ headers: { authorization: sandbox.home.authorization } })

describe('a sandbox in a Hono application', () => {
  it('takes a payment below its mount path, through a typed client', async () => {
    const app = mounted()
    const client = hc<typeof app>('http://shop.example', {
      fetch: (input: Request | string | URL, init?: RequestInit) => app.request(input, init),
    })
    const answer = await client.shop.payments.api.v2.payments.$post({ json: payment }, authorized())
    expect(answer.status).toBe(201)
    if (answer.status !== 201) return
    const { reference } = await answer.json()
    const found = await client.shop.payments.api.global['transaction-status'].$post(
      { json: { request_id: reference } },
      authorized(),
    )
    expect(await found.json()).toMatchObject({ reference, status: 'queued' })
    expect(await (await app.request('/health')).text()).toBe('well')
  })

  it('serves its control API, pages and errors there, too', async () => {
    const app = mounted()
    const clock = await app.request('/shop/payments/sandbox/clock', authorized())
    expect(await clock.json()).toMatchObject({ frozen: true })
    expect((await app.request('/shop/payments/livez')).status).toBe(200)
    const refused = await app.request('/shop/payments/api/v2/payments')
    expect(await refused.json()).toMatchObject({ error_code: 'method_not_allowed' })
    expect(refused.headers.get('allow')).toBe('POST')
    expect((await app.request('/shop/elsewhere')).status).toBe(404)
  })

  it('returns addresses below its mount path', async () => {
    const inbox = await mounted().request('http://shop.example/shop/payments/sandbox/inbox/a', authorized())
    expect(await inbox.json()).toMatchObject({
      address: expect.stringMatching(/^http:\/\/shop\.example\/shop\/payments\/sandbox\/inbox\//),
    })
  })

  it('redirects browsers below its mount path', async () => {
    const app = mounted()
    const sent = { ...authorized().headers, 'content-type': 'application/json' }
    const invitation = { organization_id: 1, account_id: 63, email: 'new@demo.example', role_id: 3 }
    const body = JSON.stringify(invitation)
    await app.request('/shop/payments/api/v2/account_invites', { method: 'POST', headers: sent, body })
    const [mail] = await sandbox.home.outbox.list()
    const { pathname } = new URL(mail!.link!)
    expect(pathname).toMatch(/^\/shop\/payments\/invites\//)
    const declined = await app.request(pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'action=decline',
    })
    expect([declined.status, declined.headers.get('location')]).toEqual([303, pathname])
  })

  it('returns its description, alone and as part of a described application', () => {
    const paths = Object.keys(sandbox.app.getOpenAPI31Document(about).paths!)
    expect(paths).toContain('/api/v2/payments')
    expect(paths).toContain('/sandbox/clock')
    const outer = new OpenAPIHono()
    outer.route('/shop', sandbox.app)
    const whole = outer.getOpenAPI31Document(about)
    expect(whole.paths!['/shop/api/v2/payments']!.post).toMatchObject({ operationId: 'createCollection' })
  })

  it('works as an application alone', async () => {
    expect((await sandbox.app.request('/api/v2/account/63', authorized())).status).toBe(200)
  })
})
