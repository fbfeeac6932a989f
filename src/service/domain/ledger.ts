import { packLines, type PostingLine } from '../../storage/store/posting-lines.ts'
import type { BalanceRow } from '../../storage/store/payment-rows.ts'
import { type Look, next, type Tx } from './context.ts'
import { invalid } from './errors.ts'
import { moneyText } from './money.ts'

/** The pots of one Team; `in_transit` holds what is promised and not yet final. */
export type Pot = 'wallet' | 'service_wallet' | 'savings' | 'in_transit'

/** A Team's ledger account in a currency, e.g. `team:63:wallet:KES`. */
export const teamAccount = (team_id: number, pot: Pot, currency: string) =>
  `team:${team_id}:${pot}:${currency}`

/** What the service earned. */
export const feesAccount = (currency: string) => `fees:${currency}`

/** Everyone who pays in or is paid out. */
export const outsideAccount = (currency: string) => `outside:${currency}`

export interface Posting {
  readonly kind: string
  readonly currency: string
  readonly transaction_id: number | null
  readonly lines: readonly PostingLine[]
}

/**
 * Books a movement: writes the posting and moves the balances of its accounts.
 * @throws ServiceError `insufficient balance` when a Team's account would fall below zero
 * @throws Error when the lines do not sum to zero, which is a fault of ours
 */
export function post(tx: Tx, posting: Posting): void {
  const lines = posting.lines.filter((line) => line.amount !== 0)
  if (lines.length === 0) return
  if (lines.reduce((sum, line) => sum + line.amount, 0) !== 0)
    throw new Error(`posting ${posting.kind} does not balance: ${JSON.stringify(lines)}`)

  const { kind, currency, transaction_id } = posting
  const balances = new Map<string, BalanceRow>()
  for (const { account, amount } of lines) {
    const before = balances.get(account) ??
      tx.rows.get('balances', account) ?? { account, currency, amount: 0 }
    if (before.amount + amount < 0 && account.startsWith('team:'))
      throw insufficient(account, before.amount, -amount, currency)
    balances.set(account, { ...before, amount: before.amount + amount })
  }
  // Written when all of it holds: whoever goes on after a refusal must not keep half of it.
  for (const balance of balances.values()) tx.rows.put('balances', balance)
  tx.rows.insert('postings', {
    id: next(tx, 'posting'),
    at: tx.now,
    kind,
    currency,
    transaction_id,
    // The account's name as its balance has it: a million postings share the few there are.
    lines: packLines(
      lines.map(({ account, amount }) => ({ account: balances.get(account)!.account, amount })),
    ),
  })
}

/** The balance of a ledger account, minor units; 0 for one that nothing was ever booked to. */
export function balanceOf(look: Look, account: string): number {
  return look.rows.get('balances', account)?.amount ?? 0
}

function insufficient(account: string, has: number, needs: number, currency: string) {
  const [, team, pot] = account.split(':')
  const money = (minor: number) => moneyText(minor, currency)
  return invalid(
    `insufficient balance: the ${pot} of account ${team} has ${money(has)}, ${money(needs)} is needed`,
  )
}
