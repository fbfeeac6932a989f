import type { MailRow, TeamRow } from '../../storage/store/rows.ts'
import { next, type Tx } from './context.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { moneyText, toMajor } from './money.ts'

/** Scripts that are written from right to left, and characters that turn the direction of what follows. */
const TURNS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/**
 * A name for a sentence of plain text. One that could turn the direction of the words behind it is set apart from them; pages
 * do so with `<bdi>`.
 */
export const isolated = (name: string): string =>
  TURNS.test(name) ? `\u2068${name.replace(/[\u2066-\u2069]/g, '')}\u2069` : name

/** Mails that a world keeps. */
const MAILS_KEPT = 1_000

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

/** The row of the table `state` that remembers which Teams were told; its value is their ids. */
const TOLD = 'low-balance'

/**
 * Mails each Team whose service wallet is below its `notify_amount`, once for each time that it falls below
 * (specification 2.1; which of the wallets is meant is assumed). Answers how many mails were written.
 * @param most of these; the other Teams are told at the next check
 */
export function checkLowBalances(tx: Tx, most = Infinity): number {
  const told = new Set(tx.rows.get('state', TOLD)?.value as readonly number[] | undefined)
  const low = new Set<number>()
  let mails = 0
  for (const team of tx.rows.all('teams')) {
    if (team.notify_amount <= 0) continue
    const balance = balanceOf(tx, teamAccount(team.id, 'service_wallet', team.currency))
    if (balance >= team.notify_amount) continue
    const silent = told.has(team.id) || team.email === ''
    if (!silent && mails >= most) continue
    low.add(team.id)
    if (silent) continue
    mail(tx, team, balance)
    mails++
  }
  if (low.size !== told.size || [...low].some((id) => !told.has(id)))
    tx.rows.put('state', { name: TOLD, value: [...low] })
  return mails
}

function mail(tx: Tx, { id, name, email, currency, notify_amount }: TeamRow, balance: number): void {
  const body = JSON.stringify({
    wallet: 'service_wallet',
    amount: toMajor(notify_amount, currency),
    currency,
  })
  const money = (amount: number) => moneyText(amount, currency)
  writeMail(tx, {
    to: email,
    subject: `Low balance: ${isolated(name)}`,
    text: `The service wallet of ${isolated(name)} has ${money(balance)}, which is below ${money(notify_amount)}. Top it up to keep paying; in the sandbox with POST /sandbox/teams/${id}/fund and ${body}.`,
    link: '',
  })
}
