/** The shop's pages: to buy, to see how an order stands, and the day's list. */
import { type Account, orderNamed, type Order } from './store.ts'
import type { Shop } from './shop.ts'

const answer = (status: number, body: unknown) => Response.json(body, { status })

export async function serve(shop: Shop, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === new URL(shop.account.callbackUrl).pathname)
    return shop.habits.receiveCallback(shop, request)
  const order = /^\/test\/orders\/([^/]+)$/.exec(pathname)?.[1]
  if (order && request.method === 'GET') return shop.habits.showOrder(shop, decodeURIComponent(order))
  if (pathname === '/test/payments' && request.method === 'GET')
    return listOf(shop, searchParams.get('day') ?? '')
  if (pathname === '/test/checkout' && request.method === 'POST') return checkout(shop, 'collection', request)
  if (pathname === '/test/reconcile' && request.method === 'POST')
    return answer(200, {
      differences: await shop.habits.reconcile(
        shop,
        await request.text(),
        searchParams.get('account') ?? undefined,
      ),
    })
  if (pathname === '/test/payouts' && request.method === 'POST') return checkout(shop, 'payout', request)
  return answer(404, { error: 'there is nothing here' })
}

/** Takes an order and begins with its payment; the order stands before anything is asked of the service. */
async function checkout(shop: Shop, kind: Order['kind'], request: Request): Promise<Response> {
  const { order: name, amount, phone, ...where } = (await request.json()) as Sent
  const account = { ...shop.account, ...where }
  const shillings = Number(amount)
  if (!name || !(Number.isSafeInteger(shillings) && shillings > 0) || !phone)
    return answer(400, { error: 'an order needs a name, an amount in whole shillings and a phone' })
  const placed = await shop.store.write((rows) => {
    const before = orderNamed(rows, name)
    // Clicked twice, or asked twice: it is one order. Another payment is for one that came to nothing.
    if (before && !['failed', 'refused'].includes(before.status)) return undefined
    const tries = [...rows.orders.values()].filter(({ order }) => order === name).length
    const order = shop.habits.newOrder(shop, { name, account, kind, amount: shillings, phone, tries })
    rows.orders.set(order.reference, order)
    return order
  })
  if (placed) {
    shop.start(shop.habits.watch(shop, placed.reference))
    shop.start(shop.habits.begin(shop, placed))
  }
  return answer(202, { order: name, status: placed?.status ?? 'waiting' })
}

/** What a buyer sends; whoever tries the shop out may say where it is to be paid. */
interface Sent extends Partial<Account> {
  readonly order: string
  readonly amount: number | string
  readonly phone: string
}

export interface Wanted {
  readonly name: string
  readonly account: Account
  readonly kind: Order['kind']
  readonly amount: number
  readonly phone: string
  /** How often it was tried before. */
  readonly tries: number
}

export const newOrder = ({ clock }: Shop, { name, tries, ...wanted }: Wanted): Order => ({
  ...wanted,
  order: name,
  reference: `${name}-${tries + 1}`,
  currency: 'KES',
  at: clock.now(),
  status: 'waiting',
  deliveries: 0,
  paid: 0,
})

export async function showOrder(shop: Shop, name: string): Promise<Response> {
  const order = await shop.store.read((rows) => orderNamed(rows, name))
  return order ? answer(200, shownOf(order)) : answer(404, { error: `there is no order ${name}` })
}

/** Not whose account it is paid into. */
const shownOf = (order: Order) => ({ ...order, account: undefined })

/** What came and went on a day, UTC: what a statement is held against. */
async function listOf(shop: Shop, day: string): Promise<Response> {
  const payments = await shop.store.read(({ orders }) =>
    [...orders.values()].filter(
      ({ at, status }) => new Date(at).toISOString().startsWith(day) && status === 'paid',
    ),
  )
  return answer(200, { day, payments: payments.map(shownOf) })
}
