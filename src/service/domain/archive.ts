/**
 * Archives old transactions: deletes their rows and carries the sums of their postings forward, so that the ledger
 * still balances. Errors for archived identifiers say so.
 */
import type { Keep } from '../vocabulary/keep.ts'
import { formatDuration } from '../../lib/text/duration.ts'
import { type Look, type Tx, wasGivenOut } from './context.ts'
import { numberOfReference } from './references.ts'
import { notFound, ServiceError } from './errors.ts'
import { wireTime } from './wire-time.ts'
import { linesOf } from '../../storage/store/tables.ts'
import type { PostingRow, TransactionRow } from '../../storage/store/payment-rows.ts'

/**
 * Returns a 404 that mentions if the transaction was archived, or may have been.
 * @param field - its name in the request
 */
export function transactionNotFound(look: Look, field: string, identifier: string): ServiceError {
  const plain = notFound(field, identifier)
  const why = archivedHint(look, identifier)
  return why ? new ServiceError(plain.code, `${plain.message}${why}`) : plain
}

export function requireKept(look: Look, field: string, identifier: string): void {
  if (archivedIn(look) && isGone(look, identifier)) throw transactionNotFound(look, field, identifier)
}

/** Returns the hint about archived transactions for an error message; undefined if the world has archived none. */
export function archivedHint(look: Look, identifier: string): string | undefined {
  const archived = archivedIn(look)
  if (!archived) return undefined
  return isGone(look, identifier)
    ? `: it ended no later than ${wireTime(archived.through)} and is kept no longer; ${inWords(look.settings.retention)}`
    : `; ${inWords(look.settings.retention)}, and it may be one of the ${countOf(archived)} before`
}

/** Whether an identifier belongs to an archived transaction. */
function isGone(look: Look, identifier: string): boolean {
  const { rows, random } = look
  const number = numberOfReference(random, identifier)
  if (number !== undefined)
    return wasGivenOut(look, 'transaction', number) && !rows.get('transactions', number)
  if (!/^\d{1,15}$/.test(identifier) || !wasGivenOut(look, 'checkout', Number(identifier))) return false
  return rows.find('transactions', 'identifier', identifier).length === 0
}

const inWords = ({ age, number }: Keep) => {
  const limits = [
    ...(age === Infinity ? [] : [`for ${formatDuration(age)}`]),
    ...(number === Infinity ? [] : [`the last ${number} of them`]),
  ]
  return limits.length === 0
    ? 'this world keeps all transactions by now'
    : `this world keeps transactions that are over ${limits.join(' and ')}`
}

const countOf = ({ transactions }: ArchivedTotals) =>
  transactions === 1 ? '1 that was' : `${transactions} that were`

interface ArchivedTotals {
  readonly transactions: number
  readonly postings: number
  /** When the latest of them ended, milliseconds on the world's clock. */
  readonly through: number
}

/** Its key in the table `state`. */
export const ARCHIVED = 'archived'
/** Transactions per change, so that no change takes long. */
const AT_ONCE = 32

/** Returns the totals of the archived transactions; undefined if there are none. */
export const archivedIn = ({ rows }: Look): ArchivedTotals | undefined =>
  rows.get('state', ARCHIVED)?.value as ArchivedTotals | undefined

/**
 * Archives some transactions that are older than the world keeps. Transactions with pending jobs, callbacks or planned
 * changes are postponed.
 * @param but - a transaction that ended in this change and is not archived
 * @returns how many were archived; more may remain
 */
export function archiveOld(tx: Tx, but?: number): number {
  const { age, number } = tx.settings.retention
  const count = tx.rows.count('transactions', 'over', 1)
  // For speed several are archived together. Worlds that keep few archive one at a time, so that the number kept is
  // exact.
  const excess = count - number
  const many = excess >= Math.min(AT_ONCE / 2, Math.floor(number / 10) + 1)
  if (!many && !isOld(tx, age)) return 0

  const oldest = tx.rows.walk('transactions', 'over', 1, { offset: 0, limit: AT_ONCE })
  const going = oldest.filter((row, n) => n < excess || endOf(row) + age < tx.now)
  const gone: TransactionRow[] = []
  const postings: PostingRow[] = []
  for (const row of going) {
    if (row.id === but || hasPendingWork(tx, row)) keepOn(tx, row)
    else {
      postings.push(...remove(tx, row))
      gone.push(row)
    }
  }
  if (gone.length > 0) carry(tx, gone, postings)
  return gone.length
}

/** Returns when a transaction ended, or the later time set by `keepOn`. */
const endOf = ({ kept_from, settled_at }: TransactionRow) => kept_from ?? settled_at ?? 0

function isOld({ rows, now }: Tx, age: number): boolean {
  if (age === Infinity) return false
  const [oldest] = rows.walk('transactions', 'over', 1, { offset: 0, limit: 1 })
  return oldest !== undefined && endOf(oldest) + age < now
}

function hasPendingWork({ rows }: Tx, { id }: TransactionRow): boolean {
  if (rows.find('jobs', 'later', id).length > 0) return true
  for (const callback of rows.find('callbacks', 'transaction', id)) {
    if (callback.state === 'pending' || rows.find('jobs', 'callback', callback.id).length > 0) return true
  }
  return false
}

/** Moves a transaction to the end of the archiving order, even if the world's clock is frozen. */
function keepOn({ rows, now }: Tx, row: TransactionRow): void {
  const [last] = rows.walk('transactions', 'over', 1, { offset: 0, limit: 1, newestFirst: true })
  rows.put('transactions', { ...row, kept_from: Math.max(now, endOf(last!) + 1) })
}

/**
 * Deletes a transaction with its callbacks, attempts and account transactions.
 * @returns its postings
 */
function remove({ rows }: Tx, { id }: TransactionRow): readonly PostingRow[] {
  for (const callback of rows.find('callbacks', 'transaction', id)) {
    for (const attempt of rows.find('attempts', 'callback', callback.id)) rows.delete('attempts', attempt.id)
    rows.delete('callbacks', callback.id)
  }
  for (const row of rows.find('accountTransactions', 'transaction', id))
    rows.delete('accountTransactions', row.id)
  const postings = rows.find('postings', 'transaction', id)
  for (const posting of postings) rows.delete('postings', posting.id)
  rows.delete('transactions', id)
  return postings
}

function carry(tx: Tx, gone: readonly TransactionRow[], postings: readonly PostingRow[]) {
  const sums = new Map<string, { currency: string; amount: number }>()
  for (const posting of postings) {
    for (const { account, amount } of linesOf(posting)) {
      const sum = sums.get(account)
      if (sum) sum.amount += amount
      else sums.set(account, { currency: posting.currency, amount })
    }
  }
  for (const [account, { currency, amount }] of sums) {
    const before = tx.rows.get('carried', account)?.amount ?? 0
    tx.rows.put('carried', { account, currency, amount: before + amount })
  }
  const before = archivedIn(tx) ?? { transactions: 0, postings: 0, through: 0 }
  const value: ArchivedTotals = {
    transactions: before.transactions + gone.length,
    postings: before.postings + postings.length,
    through: gone.reduce((last, { settled_at }) => Math.max(last, settled_at ?? 0), before.through),
  }
  tx.rows.put('state', { name: ARCHIVED, value })
}
