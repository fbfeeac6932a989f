import type { TeamRow } from '../../storage/store/rows.ts'
import type { Tx } from './context.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { writeMail } from './mails.ts'
import { moneyText, toMajor } from './money.ts'
import { isolated } from './isolated.ts'

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
