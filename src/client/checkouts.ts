/** Payment pages. */
import { listBy } from './lists.ts'
import type { Transport } from './transport.ts'
import type { AnswerCheckoutRequest, Checkout, TestCard, TypedCard } from '../generated/control/types.ts'

/**
 * The page of one pay-in.
 * @example
 * ```ts
 * import type { CheckoutClient } from 'payments-sandbox'
 *
 * const card = { number: '4000 0025 0000 3155', expiry: '12/30', cvc: '123' }
 * const confirm = async (page: CheckoutClient) => {
 *   await page.pay({ card })
 *   return page.challenge('pass')
 * }
 * const refused = await confirm(world.checkout('no-such-order')).catch((error: Error) => error)
 * refused instanceof Error // => true
 * ```
 */
export interface CheckoutClient {
  /** How it stands; to look at it does not open it. */
  show(): Promise<Checkout>
  /** A payer opens it: nothing settles the payment by itself any more. */
  open(): Promise<Checkout>
  /** With a card as it is typed, or without one as the payment was decided. */
  pay(how?: { readonly card: TypedCard }): Promise<Checkout>
  /** What the payer answers the bank of the card. */
  challenge(answer: 'pass' | 'fail'): Promise<Checkout>
  cancel(): Promise<Checkout>
}

/**
 * The payment pages of a world.
 * @example
 * ```ts
 * import type { CheckoutsClient } from 'payments-sandbox'
 *
 * const cards = async (checkouts: CheckoutsClient) => {
 *   const all = await checkouts.testCards()
 *   return all.length > 0
 * }
 * await cards(world.checkouts) // => true
 * ```
 */
export interface CheckoutsClient {
  /** Every payment page, newest first. */
  list(filter?: { readonly state?: Checkout['state'] | undefined }): Promise<readonly Checkout[]>
  /** The cards that the pages know, and what each does. */
  testCards(): Promise<readonly TestCard[]>
}

export function checkoutOf({ call }: Transport, checkout_request_id: string): CheckoutClient {
  const path = { checkout_request_id }
  const answer = (body: AnswerCheckoutRequest) => call('answerCheckout', { path, body })
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
