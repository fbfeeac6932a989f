/** Payment pages. */
import type { Checkout, TestCard, TypedCard } from '../../generated/control/types.ts'

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
