import type { MailRow } from '../../storage/store/rows.ts'
import type { Tx } from './context.ts'
import { next } from './counters.ts'

/** Mails that a world keeps. */
export const MAILS_KEPT = 1_000

/**
 * Puts a mail into the outbox; the oldest goes where there are too many. Where mails leave the sandbox, the job that
 * sends it is enqueued in the same change.
 */
export function writeMail(tx: Tx, mail: Omit<MailRow, 'id' | 'sent_at'>): void {
  const id = next(tx, 'mail')
  tx.rows.insert('mails', { id, ...mail, sent_at: tx.now })
  tx.rows.delete('mails', id - MAILS_KEPT)
  if (!tx.settings.send_mails) return
  tx.rows.insert('mailJobs', { id, due_at: 0 })
  tx.rows.delete('mailJobs', id - MAILS_KEPT)
}
