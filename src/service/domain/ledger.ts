import { packLines, type PostingLine } from '../../storage/store/tables.ts'
import type { BalanceRow, PostingRow } from '../../storage/store/payment-rows.ts'
import { type Look, next, type Tx } from './context.ts'
import { invalid } from './errors.ts'
import { moneyText } from './money.ts'

/**
 * The accounts of a Team; `in_transit` holds money that is reserved and not yet final, and `debt` is below zero while
 * the Team owes money of reversals.
 */
export const pots = ['wallet', 'service_wallet', 'savings', 'in_transit', 'debt'] as const
export type Pot = (typeof pots)[number]

export const teamAccount = (team_id: number, pot: Pot, currency: string) =>
  `team:${team_id}:${pot}:${currency}`

/** The service's earnings. */
export const feesAccount = (currency: string) => `fees:${currency}`

/** All payers and recipients. */
export const outsideAccount = (currency: string) => `outside:${currency}`

type Posting = Omit<PostingRow, 'id' | 'at' | 'lines'> & { readonly lines: readonly PostingLine[] }

/**
 * Writes a posting and updates the balances of its accounts.
 * @throws {ServiceError} `insufficient balance` if a Team's account would fall below zero
 * @throws {Error} if the lines do not sum to zero
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
    if (before.amount + amount < 0 && account.startsWith('team:') && !account.includes(':debt:'))
      throw insufficient(account, before.amount, -amount, currency)
    balances.set(account, { ...before, amount: before.amount + amount })
  }
  // Written only after all checks: a caller that continues after the error must not keep half of the posting.
  for (const balance of balances.values()) tx.rows.put('balances', balance)
  tx.rows.insert('postings', {
    id: next(tx, 'posting'),
    at: tx.now,
    kind,
    currency,
    transaction_id,
    // Reuses the account name of the balance, because a million postings share few names.
    lines: packLines(
      lines.map(({ account, amount }) => ({ account: balances.get(account)!.account, amount })),
    ),
  })
}

/** Returns minor units; 0 for an account without postings. */
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
