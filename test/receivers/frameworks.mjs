import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createSandbox } from 'payments-sandbox'
import { toFetch } from 'payments-sandbox/receivers'

/** What an app says of a callback, whatever it is made with. */
const take = async (secret, headers, body) => {
  const key = Buffer.from((await secret()).replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const own = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return headers['webhook-signature'] === own ? JSON.parse(body).status : 'forged'
}

/** Each app answers with what it made of the callback, and the protocol that it was asked by. */
const APPS = {
  async 'Express 5'(secret) {
    const { default: express } = await import('express')
    const app = express()
    app.post('/callbacks', express.text({ type: '*/*' }), (request, response, next) => {
      const { headers, body, protocol } = request
      take(secret, headers, body).then((said) => response.json({ said, protocol }), next)
    })
    return toFetch(app)
  },
  async 'Express 4'(secret) {
    const { default: express } = await import('express4')
    const app = express()
    app.use(express.json({ verify: (request, _, bytes) => (request.raw = bytes) }))
    app.post('/callbacks', (request, response, next) => {
      const { headers, raw, protocol } = request
      take(secret, headers, raw).then((said) => response.json({ said, protocol }), next)
    })
    return toFetch(app)
  },
  async Fastify(secret) {
    const { default: fastify } = await import('fastify')
    const app = fastify()
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => done(null, body))
    app.post('/callbacks', async ({ headers, body, protocol }) => ({
      said: await take(secret, headers, body),
      protocol,
    }))
    return toFetch(app)
  },
  async Koa(secret) {
    const { default: Koa } = await import('koa')
    const app = new Koa()
    app.silent = true
    app.use(async (context) => {
      let body = ''
      for await (const text of context.req.setEncoding('utf8')) body += text
      context.body = { said: await take(secret, context.headers, body), protocol: context.protocol }
    })
    return toFetch(app.callback())
  },
  async Hono(secret) {
    const { Hono } = await import('hono')
    const app = new Hono()
    app.post('/callbacks', async ({ req, json }) =>
      json({
        said: await take(secret, req.header(), await req.text()),
        protocol: new URL(req.url).protocol.slice(0, -1),
      }),
    )
    return app.fetch
  },
  async 'a route of Next.js'(secret) {
    const { NextRequest, NextResponse } = await import('next/server.js')
    const route = {
      async POST(request) {
        const headers = Object.fromEntries(request.headers)
        const protocol = new URL(request.url).protocol.slice(0, -1)
        return NextResponse.json({ said: await take(secret, headers, await request.text()), protocol })
      },
    }
    const given = toFetch(route)
    return (request) => given(new NextRequest(request))
  },
}

for (const [name, appOf] of Object.entries(APPS)) {
  test(`${name} takes callbacks, good ones and broken ones, without a port`, async () => {
    let world
    const receive = await appOf(() => world.signatures.secret())
    const sandbox = await createSandbox({ clock: 'frozen', receivers: { 'https://shop.test': receive } })
    world = await sandbox.world()
    const heard = async (reference, fault) => {
      const then = fault === undefined ? {} : { callback: { fault } }
      await world.scenarios.put('fault', { title: 'A fault', then })
      await world.scenario('fault')
      const body = {
        amount: 100,
        phone_number: '0712345678',
        provider: 'm-pesa',
        network_code: '63902',
        account_id: 63,
        external_reference: reference,
        callback_url: 'https://shop.test/callbacks',
      }
      await world.call('createCollection', { body })
      await world.settle()
      const [{ attempts }] = await world.callbacks.waitFor({ reference, state: 'final' })
      return attempts
    }
    const [good] = await heard('order-1')
    assert.deepEqual(JSON.parse(good.response.body), { said: 'success', protocol: 'https' })
    const [forged] = await heard('order-2', 'wrong-secret')
    assert.equal(JSON.parse(forged.response.body).said, 'forged')
    const cut = await heard('order-3', 'truncated-body')
    assert.deepEqual([cut.length, cut[0].response], [6, null])
    await sandbox.close()
  })
}
