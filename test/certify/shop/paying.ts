import { askAgain, type Answer, ask, LOST, type Question } from './service.ts'
import { resultOf } from './results.ts'
import type { Shop } from './shop.ts'
import type { Account, Order } from './store.ts'

/** What is asked of the service for an order. */
export async function requestOf(shop: Shop, order: Order): Promise<Question> {
  const { habits, team } = shop
  const { amount, account } = order
  const external_reference = habits.nameOf(order)
  const callback_url = account.callbackUrl
  const own = { amount, external_reference, account_id: team, callback_url, network_code: '63902' }
  const phone_number = habits.phoneOf(order.phone)
  return order.kind === 'collection'
    ? {
        method: 'POST',
        path: '/api/v2/payments',
        body: { ...own, phone_number, provider: await shop.provider(account) },
      }
    : {
        method: 'POST',
        path: '/api/v2/withdraw',
        body: {
          ...own,
          phone_number,
          account_number: phone_number,
          channel: 'phone',
          recipient_type: 'MSISDN',
        },
      }
}

/** By what name the service knows an order. */
export const nameOf = ({ reference }: Order): string => reference

/** One form for all phone numbers: digits, with the dial code. */
export const phoneOf = (typed: string): string => typed.replace(/\D/g, '').replace(/^0/, '254')

/** The provider for phones, as the service says; asked once an account. */
export async function findProvider(shop: Shop, account: Account): Promise<string> {
  const path = '/api/global/discovery/payment-world/country?country=KE'
  const answer = await askAgain(shop, account, { method: 'GET', path })
  const offered =
    answer === LOST ? undefined : (answer.body['available_providers'] as { momo?: string[] } | undefined)
  return offered?.momo?.includes('m-pesa') === false ? offered.momo[0]! : 'm-pesa'
}

/**
 * Has the service begin with an order's payment: once, whatever becomes of the answers. What was asked without an answer is looked up before it
 * is asked again; what cannot be cleared up is left waiting, for a callback, a look-up or a person.
 */
export async function begin(shop: Shop, order: Order): Promise<void> {
  const { habits, patience, clock, stopped } = shop
  const question = await habits.requestOf(shop, order)
  let unsure = false
  for (let tried = 0; tried < patience.tries; tried++) {
    const known: boolean | typeof LOST = unsure ? await habits.isKnown(shop, order) : false
    if (known === LOST) continue
    if (known) return
    const answer = await ask(shop, order.account, question)
    if (answer !== LOST && answer.status < 300) return habits.accepted(shop, order, answer)
    if (answer !== LOST && answer.status < 500 && answer.status !== 429)
      return habits.refused(shop, order, answer)
    unsure = answer === LOST || answer.status >= 500
    if (tried + 1 < patience.tries) await clock.sleep(habits.pauseBefore(shop, tried, answer), stopped)
  }
}

/** The service has it, and will tell how it ends. That it told already is no reason to wait again. */
export const accepted = (shop: Shop, order: Order, answer: Answer): Promise<void> =>
  shop.store.write(({ orders }) => {
    const row = orders.get(order.reference)
    const { reference, merchant_reference } = answer.body
    const own = reference ?? merchant_reference
    if (row && typeof own === 'string') row.serviceReference = own
  })

/** The service will not do it: asking again would change nothing. */
export const refused = (shop: Shop, order: Order, answer: Answer): Promise<void> =>
  shop.store.write(({ orders }) => {
    const row = orders.get(order.reference)
    if (row?.status !== 'waiting') return
    row.status = 'refused'
    row.reason = String(answer.body['error_message'] ?? `answered ${answer.status}`)
  })

/** Whether the service knows of an order's payment, and how it stands. */
export async function isKnown(shop: Shop, order: Order): Promise<boolean | typeof LOST> {
  const body = { request_id: shop.habits.nameOf(order) }
  const answer = await askAgain(shop, order.account, {
    method: 'POST',
    path: '/api/global/transaction-status',
    body,
  })
  if (answer === LOST || answer.status === 429 || answer.status >= 500) return LOST
  const told = answer.status === 200 ? resultOf(answer.body) : undefined
  if (told)
    await shop.store.write(({ orders }) => {
      const row = orders.get(order.reference)
      if (row) shop.habits.applyResult(shop, row, told)
    })
  return answer.status === 200
}

/** Where no callback comes the shop asks, at growing intervals and not for ever. */
export async function watch(shop: Shop, reference: string): Promise<void> {
  const { patience, habits, clock, stopped, store } = shop
  for (let asked = 0; asked < patience.looks; asked++) {
    await clock.sleep(habits.untilNextLook(shop, asked), stopped)
    const order = await store.read(({ orders }) => orders.get(reference))
    if (!order || habits.isOver(order)) return
    await habits.isKnown(shop, order)
  }
}

export const untilNextLook = ({ patience }: Shop, asked: number): number =>
  Math.min(patience.firstLook * 1.6 ** asked, patience.longestPause)

export const isOver = ({ status }: Order): boolean => status !== 'waiting'
