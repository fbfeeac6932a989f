import type { MailRow, TeamRow } from '../../storage/store/rows.ts'
import { next, type Tx } from './context.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { moneyText, toMajor } from './money.ts'

/** Right-to-left scripts, and characters that change the direction of the following text. */
const TURNS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Isolates a name in plain text if it could change the direction of the following words; pages use `<bdi>`. */
export const isolated = (name: string): string =>
  TURNS.test(name) ? `\u2068${name.replace(/[\u2066-\u2069]/g, '')}\u2069` : name

const MAILS_KEPT = 1_000

/**
 * Adds a mail to the outbox, which drops the oldest if it is full, and enqueues the job that sends it if SMTP is
 * configured.
 */
export function writeMail(tx: Tx, mail: Omit<MailRow, 'id' | 'sent_at'>): void {
  const id = next(tx, 'mail')
  tx.rows.insert('mails', { id, ...mail, sent_at: tx.now })
  tx.rows.delete('mails', id - MAILS_KEPT)
  if (!tx.settings.send_mails) return
  tx.rows.insert('mailJobs', { id, due_at: 0 })
  tx.rows.delete('mailJobs', id - MAILS_KEPT)
}

/** The key in the table `state` of the ids of notified Teams. */
const NOTIFIED = 'low-balance'

/**
 * Mails each Team whose service wallet fell below its `notify_amount`, once per fall (specification 2.1; the choice of
 * wallet is assumed).
 * @param most - maximum number of mails; the other Teams follow at the next check
 * @returns the number of mails
 */
export function checkLowBalances(tx: Tx, most = Infinity): number {
  const told = new Set(tx.rows.get('state', NOTIFIED)?.value as readonly number[] | undefined)
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
    tx.rows.put('state', { name: NOTIFIED, value: [...low] })
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
