/** Which requests and payments are of an order, whichever endpoint and names a shop uses. */
import type { Transaction } from '../generated/control/types.ts'
import type { Given } from './profile.ts'
import type { ShopRequest } from './scene.ts'

/** What the shop was told to take a payment for: no two orders of a run have a name, an amount or a phone in common. */
export type Ordered = Pick<Given, 'order' | 'amount' | 'phone'>

/** What begins a payment of the shop. */
export const PAYING = ['createCollection', 'createGlobalPayment'] as const

export const isPaying = ({ operation }: ShopRequest): boolean =>
  (PAYING as readonly (string | null)[]).includes(operation)

/** A phone without its dial code. */
const partyOf = (phone: string) => phone.replace(/\D/g, '').replace(/^0/, '')

export function isAskedFor({ order, amount, phone }: Ordered, { body }: ShopRequest): boolean {
  const text = JSON.stringify(body)
  return (
    text.includes(order) || text.includes(partyOf(phone)) || new RegExp(`"amount":"?${amount}\\b`).test(text)
  )
}

export const isPaymentOf = ({ order, amount, phone }: Ordered, payment: Transaction): boolean =>
  payment.external_reference.includes(order) ||
  payment.party.endsWith(partyOf(phone)) ||
  (payment.amount.amount === amount && payment.direction === 'payin')
