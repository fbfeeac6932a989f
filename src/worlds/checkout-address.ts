import { safeEqual } from '../lib/safe-equal.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { World } from './world.ts'

type Paid = Pick<TransactionRow, 'id' | 'created_at' | 'checkout_request_id'>

/**
 * Returns the path of the page where the payer completes a pay-in. It ends with a secret proof, because the identifier of a
 * transaction is predictable and anyone with the link may pay.
 */
export const checkoutPath = (world: World, row: Paid) =>
  `/checkout/${encodeURIComponent(world.name)}/${row.checkout_request_id}.${proofOf(world, row)}`

/** Splits the last segment of such a path into identifier and proof. */
export function readCheckoutId(text: string): { readonly id: string; readonly proof: string } {
  const point = text.lastIndexOf('.')
  return point < 0 ? { id: text, proof: '' } : { id: text.slice(0, point), proof: text.slice(point + 1) }
}

/** Compares a proof in constant time. */
export const isCheckoutProof = (world: World, row: Paid, proof: string): boolean =>
  safeEqual(proof, proofOf(world, row))

/** Contains the creation time, because a reset world reuses identifiers and earlier links must not work. */
const proofOf = (world: World, { id, created_at }: Paid) => world.random.secret(`checkout ${created_at}`, id)
