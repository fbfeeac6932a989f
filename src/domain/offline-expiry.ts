/** How long an offline collection waits for somebody to pay it at the paybill. */
import type { Tx } from './context.ts'
import { addJob } from './jobs.ts'

/** Assumed: the specification names no end. */
export const OFFLINE_EXPIRES_AFTER = 24 * 3_600_000

/** Lets an offline collection fail when nobody has paid it by then. */
export const planExpiry = (tx: Tx, transaction_id: number): void => {
  addJob(tx, OFFLINE_EXPIRES_AFTER, { kind: 'expire_offline', transaction_id })
}
