/** How much of past deliveries a world keeps. Callbacks that are not over are never forgotten. */
import type { Tx } from '../domain/context.ts'

/** Callbacks that are over, a world. */
export const CALLBACKS_KEPT = 1_000
/** Attempts, a callback. */
export const ATTEMPTS_KEPT = 100

/** Forgets the oldest attempts of a callback and the oldest callbacks that are over, where there are too many. */
export function forgetOld(tx: Tx, callback_id: number): void {
  const attempts = tx.rows.find('attempts', 'callback', callback_id)
  for (const old of attempts.slice(0, Math.max(0, attempts.length - ATTEMPTS_KEPT)))
    tx.rows.delete('attempts', old.id)

  const excess = tx.rows.count('callbacks', 'over', 1) - CALLBACKS_KEPT
  if (excess <= 0) return
  for (const { id } of tx.rows.walk('callbacks', 'over', 1, { offset: 0, limit: excess })) {
    tx.rows.delete('callbacks', id)
    for (const attempt of tx.rows.find('attempts', 'callback', id)) tx.rows.delete('attempts', attempt.id)
  }
}
