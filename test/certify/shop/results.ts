import type { Shop } from './shop.ts'
import type { Order, OrderStatus } from './store.ts'

/** What the service tells of a payment, in a callback or when it is asked. */
export interface Result {
  readonly status: string
  readonly message: string
  /** The service's own name of it. */
  readonly reference: string
  readonly external_reference: string
  readonly amount: number
  readonly currency: string
}

/** The fields that the shop goes by; whatever else is there is not its business. */
export function resultOf(body: unknown): Result | undefined {
  const { status, message, reference, external_reference, amount, currency } = Object(body) as Result
  const whole =
    typeof status === 'string' &&
    typeof external_reference === 'string' &&
    typeof amount === 'number' &&
    typeof currency === 'string'
  if (!whole) return undefined
  return {
    status,
    message: String(message ?? ''),
    reference: String(reference ?? ''),
    external_reference,
    amount,
    currency,
  }
}

/** How far a payment has come: what is told late of an earlier state changes nothing. */
const PROGRESS: Readonly<Record<OrderStatus, number>> = {
  waiting: 0,
  refused: 1,
  failed: 1,
  unclear: 2,
  paid: 2,
  reversed: 3,
}

/** Where an order is to stand by what is told; of a status that the shop does not know it waits for the next. */
export function nextStatus(order: Order, told: Result): OrderStatus | undefined {
  if (told.status === 'failed') return 'failed'
  if (told.status === 'reversed') return 'reversed'
  if (told.status !== 'success') return undefined
  return isForOrder(order, told) ? 'paid' : 'unclear'
}

/** Whether that money is this order's, and enough. What is over is the payer's, and noted. */
export const isForOrder = (order: Order, told: Result): boolean =>
  told.currency === order.currency &&
  told.amount >= order.amount &&
  (order.serviceReference === undefined || told.reference === order.serviceReference)

export const isNews = (order: Order, next: OrderStatus): boolean => PROGRESS[next] > PROGRESS[order.status]

/** Brings an order to where a result says. */
export function applyResult({ habits }: Shop, order: Order, told: Result): void {
  const next = habits.nextStatus(order, told)
  if (!next || !habits.isNews(order, next)) return
  order.status = next
  if (next === 'paid') {
    order.paid = told.amount
    order.deliveries++
    if (told.amount > order.amount)
      order.reason = `${told.amount - order.amount} too much came, to be paid back`
    else delete order.reason
  } else habits.noteReason(order, told)
  if (next === 'reversed') order.paid = 0
}

export function noteReason(order: Order, told: Result): void {
  order.reason =
    order.status === 'unclear' ? `${told.amount} ${told.currency} came as ${told.reference}` : told.message
}
