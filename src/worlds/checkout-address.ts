import { safeEqual } from '../lib/safe-equal.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { World } from './world.ts'

type Paid = Pick<TransactionRow, 'id' | 'created_at' | 'checkout_request_id'>

/**
 * The path of the page where the payer of a pay-in finishes. It ends in a proof that only this process can make: whoever has
 * the address may pay, and the transaction's identifier alone, which can be foreseen, opens nothing.
 */
export const checkoutPath = (world: World, row: Paid) =>
  `/checkout/${encodeURIComponent(world.name)}/${row.checkout_request_id}.${proofOf(world, row)}`

/** The identifier and the proof of what stands last in such a path. */
export function readCheckoutId(text: string): { readonly id: string; readonly proof: string } {
  const point = text.lastIndexOf('.')
  return point < 0 ? { id: text, proof: '' } : { id: text.slice(0, point), proof: text.slice(point + 1) }
}

/** Looks at a proof in a time that tells nothing of where it differs. */
export const isCheckoutProof = (world: World, row: Paid, proof: string): boolean =>
  safeEqual(proof, proofOf(world, row))

/** A world that begins again has its identifiers again; with the time, an address of before does not fit. */
const proofOf = (world: World, { id, created_at }: Paid) => world.random.secret(`checkout ${created_at}`, id)
