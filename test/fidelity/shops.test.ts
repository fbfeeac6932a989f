/** Six example shops, recorded with a plain sandbox in the place of the service. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
// @ts-expect-error examples are JavaScript
import { startShop } from '../../examples/playwright/shop.js'
// @ts-expect-error examples are JavaScript
import { createShop } from '../../examples/vitest/shop.js'
import { compare, record } from '../../src/fidelity/library.ts'
import { createSandbox, type WorldClient } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { listen } from './service.ts'

interface Recorded {
  /** The address of the proxy. */
  readonly url: string
  readonly world: WorldClient
  readonly secret: string
}

const PAYS = '0712345678'
/** Test numbers: the payer cancels, and the payer has too little money. */
const FAILS = ['0700000001', '0700000002']

const serving = async (handler: RequestListener) => `http://127.0.0.1:${await listen(createServer(handler))}`

async function freePort(): Promise<string> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

const settled = async (world: WorldClient, ...references: string[]) => {
  for (const reference of references)
    await world.callbacks.waitFor({ reference, state: 'delivered', timeout: '60s' })
}

const pay = ({ url, world }: Recorded, external_reference: string, fields: object) =>
  fetch(`${url}/api/v2/payments`, {
    method: 'POST',
    headers: { authorization: world.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: 150,
      phone_number: PAYS,
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference,
      ...fields,
    }),
  })

/** A shop that is a program, with the requests of certify.yaml. */
const program = (command: string, file: string) => async (recorded: Recorded) => {
  const { url, world, secret } = recorded
  const port = await freePort()
  const env = { TESTS: '1', PORT: port, DATA: temporaryFolder(), SERVICE_URL: url, WEBHOOK_SECRET: secret }
  const child: ChildProcess = spawn(command, [file], { env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill())
  const shop = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${shop}/test/orders/none`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(isUp).toBe(404)
  const orders = [PAYS, ...FAILS].map((phone, n) => ({ order: `order-${n}`, amount: 100 + n, phone }))
  for (const each of orders)
    await fetch(`${shop}/test/checkout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(each),
    })
  await settled(world, ...orders.map(({ order }) => order))
  const paid = await fetch(`${shop}/test/orders/order-0`).then((response) => response.text())
  expect(paid).toContain('paid')
}

const shops: Readonly<Record<string, (recorded: Recorded) => Promise<void>>> = {
  'the shop of examples/vitest': program(process.execPath, 'examples/vitest/serve.js'),
  'the shop of examples/python': program('python3', 'examples/python/serve.py'),
  async 'the shop of examples/playwright, whose buyers pay by card'({ url: baseUrl, world, secret }) {
    const shop = await startShop({ baseUrl, authorization: world.authorization, secret })
    onTestFinished(() => void shop.close())
    for (const number of ['4000 0000 0000 9995', '4242 4242 4242 4242']) {
      const bought = await fetch(`${shop.url}/buy`, { method: 'POST', redirect: 'manual' })
      expect(bought.status).toBe(303)
      const [open] = await world.checkouts.list({ state: 'waiting' })
      const page = world.checkout(open!.reference)
      // A buyer whose card is declined gives up.
      const { state } = await page.pay({ card: { number, expiry: '12/30', cvc: '123' } })
      if (state === 'open') await page.cancel()
    }
    await settled(world, 'order-1', 'order-2')
    expect([shop.order('order-1').state, shop.order('order-2').state]).toEqual(['unpaid', 'paid'])
  },
  async 'the shop of examples/node-test, which looks payments up'({ url: baseUrl, world, secret }) {
    let shop = createShop({})
    const callbackUrl = await serving(async (request, response) => {
      const callback = { headers: request.headers, body: await buffer(request) }
      response.writeHead(shop.callback(callback)).end()
    })
    shop = createShop({ baseUrl, authorization: world.authorization, callbackUrl, secret })
    for (const [n, phone] of [PAYS, ...FAILS].entries()) {
      await shop.checkout(`order-${n}`, { amount: 100, phone })
      await shop.ask(`order-${n}`)
    }
    await shop.ask('order-9').catch(() => {})
    await settled(world, 'order-0', 'order-1', 'order-2')
    await shop.ask('order-0')
    expect(shop.order('order-0').state).toBe('paid')
  },
  async 'the shop of examples/jest, which fails twice'(recorded) {
    let failing = 2
    const results: unknown[] = []
    const callback_url = await serving(async (request, response) => {
      const body = await text(request)
      if (failing-- > 0) return void response.writeHead(500).end()
      results.push(JSON.parse(body))
      response.writeHead(204).end()
    })
    expect((await pay(recorded, 'order-1', { callback_url })).status).toBe(201)
    await settled(recorded.world, 'order-1')
    expect(results).toMatchObject([{ status: 'success' }])
  },
  async 'the receiver of examples/receivers/hono, with payouts'(recorded) {
    const { url, world, secret } = recorded
    const port = await freePort()
    const env = { PORT: port, WEBHOOK_SECRETS: secret, DATA: join(temporaryFolder(), 'orders.jsonl') }
    const child = spawn(process.execPath, ['examples/receivers/hono/receiver.js'], {
      env: { ...process.env, ...env },
    })
    onTestFinished(() => void child.kill())
    const callback_url = `http://127.0.0.1:${port}/callback`
    const isUp = () =>
      fetch(callback_url).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(isUp).toBeGreaterThan(0)
    const payout = (external_reference: string, phone_number: string) =>
      fetch(`${url}/api/v2/withdraw`, {
        method: 'POST',
        headers: { authorization: world.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({
          amount: 500,
          phone_number,
          channel: 'phone',
          recipient_type: 'MSISDN',
          account_id: 63,
          external_reference,
          callback_url,
        }),
      })
    expect((await pay(recorded, 'order-1', { callback_url })).status).toBe(201)
    expect((await pay(recorded, 'order-2', { callback_url, phone_number: '12' })).status).toBe(400)
    expect((await payout('payout-1', PAYS)).status).toBe(200)
    expect((await payout('payout-2', FAILS[0]!)).status).toBe(200)
    const channels = `${url}/api/v2/payment_channels?page=1&per=2`
    await fetch(channels, { headers: { authorization: world.authorization } })
    await settled(world, 'order-1', 'payout-1', 'payout-2')
  },
}

const canRun = (name: string) =>
  !name.includes('python') ||
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0

it.each(Object.entries(shops).filter(([name]) => canRun(name)))(
  'compare finds no difference in the traffic of %s with a plain sandbox',
  async (_, run) => {
    const env = { SANDBOX_RETRY_SPEED: '100' }
    const sandbox = await createSandbox({ env })
    onTestFinished(() => sandbox.close())
    const service = await sandbox.listen()
    const out = join(temporaryFolder(), 'session.har')
    const port = Number(await freePort())
    const recording = await record({ service, out, port, publicUrl: `http://127.0.0.1:${port}` })
    const { home: world } = sandbox
    await run({ url: recording.url, world, secret: await world.signatures.secret() })
    const { written, lost } = await recording.close()
    expect(written).toBeGreaterThan(1)
    expect(lost).toBe(0)
    const { differences, callbacks, notes } = await compare(out, { env })
    expect({ differences, notes }).toEqual({ differences: [], notes: [] })
    expect(callbacks).toBeGreaterThan(0)
  },
)
