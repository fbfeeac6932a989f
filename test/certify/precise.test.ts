/** Checks of several parts: a shop that lacks one of them is found by it, and what was seen names it. */
import { expect, it } from 'vitest'
import type { CheckId } from '../../src/certify/check-ids.ts'
import { certifyRecord } from '../../src/certify/certify.ts'
import { createSandbox, type WorldClient } from '../../src/index.ts'
import { certifyShop } from './certified.ts'
import { linesOf } from './shop/books.ts'
import type { Result } from './shop/results.ts'
import type { Order } from './shop/store.ts'

/** What of a callback a shop does not compare, as if it were what it asked for. */
const overlooked: readonly (readonly [string, (order: Order) => Partial<Result>])[] = [
  ['an amount of 1', ({ amount }) => ({ amount })],
  ['another currency', ({ currency }) => ({ currency })],
  ['a payment into another account', ({ serviceReference }) => ({ reference: serviceReference ?? '' })],
]

it.concurrent.each(overlooked)('RCV-17 fails for %s alone', async (what, asIf) => {
  const { checks } = await certifyShop({
    only: ['RCV-17'],
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) => nextStatus(order, { ...told, ...asIf(order) }),
    }),
    patience: { firstLook: 60_000 },
  })
  expect(checks[0]).toMatchObject({
    verdict: 'fail',
    observed: expect.stringMatching(`for .*${what}.* the order is paid, delivered once`),
  })
})

it('PAY-8 fails if payouts are foreign lines of the statement', async () => {
  const { checks } = await certifyShop({
    only: ['PAY-8'],
    habits: ({ reconcile }) => ({
      reconcile: async (shop, statement, account) => [
        ...(await reconcile(shop, statement, account)),
        ...linesOf(statement, 'reserve').map(({ reference }) => `${reference} is not in the books`),
      ],
    }),
  })
  expect(checks[0]).toMatchObject({
    verdict: 'fail',
    observed: expect.stringMatching(/^It found [23] differences in a correct statement with payouts/),
  })
})

it(
  'RCV-21 passes a shop whose response was late only while this machine stood still',
  { retry: 2 },
  async () => {
    let stalls = 0
    const { checks } = await certifyShop({
      only: ['RCV-1', 'RCV-21'],
      within: 1_000,
      habits: ({ receiveCallback }) => ({
        async receiveCallback(shop, request) {
          const isFirst = (await request.clone().text()).includes('rcv-1-') && stalls++ === 0
          if (isFirst) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
          return receiveCallback(shop, request)
        },
      }),
    })
    expect(checks.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
    expect(stalls).toBeGreaterThan(1)
  },
)

/** What a world's record says of a check, after requests of a shop. */
async function recorded(
  id: CheckId,
  clock: 'frozen' | 'real',
  requests: (world: WorldClient, post: (path: string, body: object) => Promise<Response>) => Promise<unknown>,
) {
  await using sandbox = await createSandbox({ clock, env: { SANDBOX_RETRY_PROFILE: 'none' } })
  const headers = { 'user-agent': 'kiosk/1.0', 'content-type': 'application/json' }
  const { home } = sandbox
  await requests(home, (path, body) =>
    home.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }),
  )
  const { checks } = await certifyRecord(home, 'shop')
  const { verdict, observed } = checks.find((each) => each.id === id)!
  return { verdict, observed }
}

const payment = (callback_url: string) => ({
  amount: 100,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  external_reference: 'order-1',
  callback_url,
})
const look = { request_id: 'order-1' }

it('CLI-12 finds an unused callback_url without https, and SEC-2 a used one', async () => {
  const tried = (id: CheckId, settled: boolean) =>
    recorded(id, 'frozen', async (world, post) => {
      await post('/api/v2/payments', payment('http://shop.example/callback'))
      if (settled) await world.settle()
    })
  expect(await tried('CLI-12', false)).toMatchObject({
    verdict: 'fail',
    observed: '1 payments contain a callback_url without https.',
  })
  expect(await tried('SEC-2', false)).toMatchObject({ verdict: 'not_seen' })
  expect(await tried('CLI-12', true)).toMatchObject({ verdict: 'pass' })
  expect(await tried('SEC-2', true)).toMatchObject({ verdict: 'fail' })
})

it('CLI-15 and CLI-7 use the order of status queries on a frozen clock', async () => {
  const asking = (id: CheckId, more: number) =>
    recorded(id, 'frozen', async (world, post) => {
      await post('/api/v2/payments', payment(''))
      await post('/api/global/transaction-status', look)
      await world.settle()
      for (let n = 0; n <= more; n++) await post('/api/global/transaction-status', look)
    })
  expect(await asking('CLI-15', 0)).toEqual({
    verdict: 'not_seen',
    observed: expect.stringMatching(
      /^The shop queried the status of 1 payments, none after a query .* clock is frozen/,
    ),
  })
  expect(await asking('CLI-15', 1)).toMatchObject({
    verdict: 'fail',
    observed: '1 status queries followed a known result.',
  })
  expect(await asking('CLI-7', 1)).toMatchObject({
    verdict: 'not_seen',
    observed: expect.stringMatching(/^3 status queries for 1 payments\. The world’s clock is frozen/),
  })
  expect(await asking('CLI-7', 100)).toMatchObject({
    verdict: 'fail',
    observed: 'There were 102 status queries for one payment.',
  })
})
