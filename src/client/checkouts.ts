import { listBy } from './lists.ts'
import { requireText } from './operations.ts'
import type { Transport } from './transport.ts'
import type { RespondToCheckoutRequest, Checkout, TestCard, TypedCard } from '../generated/control/types.ts'

/**
 * The payment page of one pay-in, used as its payer would: `world.checkout(reference)`.
 * @example
 * ```ts
 * const card = { number: '4000 0025 0000 3155', expiry: '12/30', cvc: '123' }
 * const page = world.checkout('no-such-order')
 * const rejected = await page.pay({ card }).catch((error: Error) => error)
 * rejected instanceof Error // => true
 * ```
 */
export interface CheckoutClient {
  /** Returns the state of the page without opening it. */
  show(): Promise<Checkout>
  /** Opens the page; from then on the payment no longer settles by itself. */
  open(): Promise<Checkout>
  /** Pays with a typed card, or without one with the outcome already chosen for the payment. */
  pay(how?: { readonly card: TypedCard }): Promise<Checkout>
  /** Passes or fails the 3-D Secure challenge. */
  challenge(result: 'pass' | 'fail'): Promise<Checkout>
  cancel(): Promise<Checkout>
}

/**
 * The payment pages of a world: `world.checkouts`.
 * @example
 * ```ts
 * const cards = await world.checkouts.testCards()
 * cards.length > 0 // => true
 * ```
 */
export interface CheckoutsClient {
  /** Lists payment pages, newest first. */
  list(filter?: { readonly state?: Checkout['state'] | undefined }): Promise<readonly Checkout[]>
  /** Lists the test cards with the outcome of each. */
  testCards(): Promise<readonly TestCard[]>
}

export function checkoutOf({ call }: Transport, checkout_request_id: string): CheckoutClient {
  const path = {
    checkout_request_id: requireText('checkout', 'any identifier of a payment', checkout_request_id),
  }
  const answer = (body: RespondToCheckoutRequest) => call('respondToCheckout', { path, body })
  return {
    show: () => call('getCheckout', { path }),
    open: () => answer({ open: true }),
    pay: (how) => answer(how ? { card: how.card } : { pay: true }),
    challenge: (three_d_secure) => answer({ three_d_secure }),
    cancel: () => answer({ cancel: true }),
  }
}

export const checkoutsOf = (transport: Transport): CheckoutsClient => ({
  list: (filter) => listBy(transport, 'checkouts.list', 'listCheckouts', 'checkouts', filter),
  testCards: async () => (await transport.call('listTestCards')).test_cards,
})
