/** The shop that certification is tried on: what it does when all goes well and when it does not. */
import { afterEach, expect, it } from 'vitest'
import { createSandbox, type Sandbox, type WorldClient } from '../../src/index.ts'
import { virtualClock } from './shop/clock.ts'
import { createShop, type ShopOptions } from './shop/shop.ts'
import { memoryStore } from './shop/store.ts'

const ORIGIN = 'https://shop.test'
let sandbox: Sandbox | undefined
afterEach(() => sandbox?.close())

/** A shop in a world of its own, its clock standing still. */
async function open(options: Partial<ShopOptions> = {}) {
  const clock = virtualClock(Date.now())
  const store = memoryStore()
  let world: WorldClient | undefined
  const requested: { path: string; at: number }[] = []
  const underWay = new Set<Request>()
  let shop: ReturnType<typeof createShop> | undefined
  sandbox = await createSandbox({
    clock: 'frozen',
    receivers: { [ORIGIN]: (request) => shop!.fetch(request) },
  })
  world = await sandbox.world()
  const secret = await world.signatures.secret()
  const begin = () =>
    (shop = createShop({
      account: { baseUrl: world.url, authorization: world.authorization, callbackUrl: `${ORIGIN}/callback` },
      secrets: [secret],
      async fetch(request) {
        requested.push({ path: new URL(request.url).pathname, at: clock.now() })
        underWay.add(request)
        return await sandbox!.fetch(request).finally(() => underWay.delete(request))
      },
      clock,
      store,
      ...options,
    }))
  begin()
  /** Until nothing happens any more without time passing. */
  const settled = async () => {
    for (let before = -1; before !== requested.length || underWay.size > 0;) {
      before = requested.length
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const began = clock.now()
  return {
    world,
    /** What was asked of the service, and how many seconds after the shop was opened. */
    requested: () => requested.map(({ path, at }) => [path.split('/').at(-1), (at - began) / 1000]),
    async buy(order: string, amount = 1000) {
      const phone = '0712345678'
      const sent = { method: 'POST', body: JSON.stringify({ order, amount, phone }) }
      const answer = await shop!.fetch(new Request(`${ORIGIN}/test/checkout`, sent))
      await settled()
      return answer.status
    },
    wait: (seconds: number) => clock.advance(seconds * 1000, settled),
    look: async (path: string, body?: string) =>
      (
        await shop!.fetch(new Request(ORIGIN + path, body === undefined ? {} : { method: 'POST', body }))
      ).json(),
    restart() {
      shop!.stop()
      begin()
    },
  }
}

it('delivers once for a success with duplicate callbacks', async () => {
  const { world, buy, look } = await open()
  await world.scenario('duplicate-callback')
  expect(await buy('order-1')).toBe(202)
  expect(await look('/test/orders/order-1')).toMatchObject({ status: 'waiting', deliveries: 0 })
  await world.settle()
  expect(await look('/test/orders/order-1')).toMatchObject({ status: 'paid', deliveries: 1, paid: 1000 })
})

it('stores why a payment failed', async () => {
  const { world, buy, look } = await open()
  await world.scenario('payer-cancels')
  await buy('order-1')
  await world.settle()
  expect(await look('/test/orders/order-1')).toMatchObject({
    status: 'failed',
    reason: 'Request Cancelled by user.',
  })
})

it('queries the status of an unanswered request and pays once', async () => {
  const { world, buy, wait, requested } = await open()
  await world.scenarios.next('lost-response')
  await buy('order-1')
  await wait(1)
  expect(requested()).toEqual([
    ['country', 0],
    ['payments', 0],
    ['transaction-status', 1],
  ])
  expect(await world.transactions.list()).toHaveLength(1)
})

it('retries at growing intervals, up to a limit', async () => {
  const { world, buy, wait, requested, look } = await open({ patience: { looks: 0 } })
  await world.scenario('provider-down')
  await buy('order-1')
  await wait(3600)
  expect(requested().filter(([path]) => path === 'payments')).toEqual(
    [0, 1, 3, 7, 15].map((at) => ['payments', at]),
  )
  expect(await look('/test/orders/order-1')).toMatchObject({ status: 'waiting' })
})

it('does not retry a rejected request', async () => {
  const { world, buy, wait, requested, look } = await open()
  await world.scenario('insufficient-amount')
  await buy('order-1')
  await wait(3600)
  expect(requested().filter(([path]) => path === 'payments')).toHaveLength(1)
  expect(await look('/test/orders/order-1')).toMatchObject({ status: 'refused', deliveries: 0 })
})

it('queries the status if no callback arrives, then stops', async () => {
  const { world, buy, wait, requested, look } = await open()
  await world.scenario('callback-lost')
  await buy('order-1')
  await world.settle()
  await wait(3600)
  expect(await look('/test/orders/order-1')).toMatchObject({ status: 'paid', deliveries: 1 })
  expect(requested().filter(([path]) => path === 'transaction-status')).toEqual([['transaction-status', 3]])
})

it('leaves a stuck payment open and stops querying', async () => {
  const { world, buy, wait, requested, look } = await open()
  await world.scenario('stuck-without-callback')
  await buy('order-1')
  await wait(86_400)
  expect(await look('/test/orders/order-1')).toMatchObject({ status: 'waiting', deliveries: 0 })
  expect(requested().filter(([path]) => path === 'transaction-status')).toHaveLength(12)
})

it('continues after a restart', async () => {
  const { world, buy, wait, look, restart } = await open()
  await world.scenario('callback-lost')
  await buy('order-1')
  restart()
  await world.settle()
  await wait(10)
  expect(await look('/test/orders/order-1')).toMatchObject({ status: 'paid', deliveries: 1 })
})

it.each([
  ['', []],
  ['statement-line-missing', ['order-1-1 was paid, and is not on the statement']],
  ['statement-other-amount', [expect.stringMatching(/^order-1-1 is \d+ on the statement, and 1000 here$/)]],
  ['statement-line-twice', ['order-1-1 is on the statement more than once']],
])('finds the discrepancy in a statement: %s', async (scenario, differences) => {
  const { world, buy, look } = await open()
  if (scenario) await world.scenario(scenario)
  await buy('order-1')
  await world.settle()
  const statement = await (await world.fetch('/sandbox/statements?format=csv')).text()
  expect(await look('/test/reconcile', statement)).toEqual({ differences })
})
