/** The archive: old transactions go, and only their sums stay; look-ups of one that is gone say so. */
import type { Keep } from '../vocabulary/keep.ts'
import { formatDuration } from '../../lib/text/duration.ts'
import { type Look, numberOfReference, type Tx, wasGivenOut } from './context.ts'
import { notFound, ServiceError } from './errors.ts'
import { wireTime } from './wire-time.ts'
import { linesOf } from '../../storage/store/posting-lines.ts'
import type { PostingRow, TransactionRow } from '../../storage/store/payment-rows.ts'

/**
 * 404 of a transaction, which says so when it is one that is kept no longer, or may be one.
 * @param field what the request calls it
 */
export function transactionNotFound(look: Look, field: string, identifier: string): ServiceError {
  const plain = notFound(field, identifier)
  const why = whyNotKept(look, identifier)
  return why ? new ServiceError(plain.code, `${plain.message}${why}`) : plain
}

/** @throws ServiceError 404 for an identifier that the service gave to a transaction that is kept no longer */
export function requireKept(look: Look, field: string, identifier: string): void {
  if (archivedIn(look) && isGone(look, identifier)) throw transactionNotFound(look, field, identifier)
}

/** What a message adds that says that a transaction was not found; undefined in a world that has archived none. */
export function whyNotKept(look: Look, identifier: string): string | undefined {
  const archived = archivedIn(look)
  if (!archived) return undefined
  return isGone(look, identifier)
    ? `: it ended no later than ${wireTime(archived.through)} and is kept no longer; ${inWords(look.settings.keep)}`
    : `; ${inWords(look.settings.keep)}, and it may be one of the ${countOf(archived)} before`
}

/** Whether it names a transaction that was there and is not any more. */
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

/**
 * What a world keeps of transactions that are over: those of the last days and the last so many. Older ones are archived:
 * their rows go, and what their postings come to is carried forward, so that the ledger still balances.
 */

/** The totals of what a world has archived. */
interface ArchivedTotals {
  readonly transactions: number
  readonly postings: number
  /** When the last of them to end had ended, milliseconds on the world's clock. */
  readonly through: number
}

/** The row of the table `state` that remembers it. */
export const ARCHIVED = 'folded'
/** How many transactions one change looks at, so that no change takes long. */
const AT_ONCE = 32

/** Returns the totals of what a world has archived; undefined if it has archived nothing. */
export const archivedIn = ({ rows }: Look): ArchivedTotals | undefined =>
  rows.get('state', ARCHIVED)?.value as ArchivedTotals | undefined

/**
 * Archives a few of the transactions that are kept no longer. One that still has jobs, a callback or a planned change,
 * is kept for as long again.
 * @param but one that ended in this change, which is kept in any case
 * @returns how many were archived; there may be more
 */
export function archiveOld(tx: Tx, but?: number): number {
  const { age, number } = tx.settings.keep
  const count = tx.rows.count('transactions', 'over', 1)
  // For speed some are archived together. Where few are kept, each is archived at once, so that the number kept is exact.
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

/** When a transaction ended, or the later time that `keepOn` gave it. */
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

/** Moves a transaction to the end of those that wait to be archived, even when the world's clock stands still. */
function keepOn({ rows, now }: Tx, row: TransactionRow): void {
  const [last] = rows.walk('transactions', 'over', 1, { offset: 0, limit: 1, newestFirst: true })
  rows.put('transactions', { ...row, kept_from: Math.max(now, endOf(last!) + 1) })
}

/** Deletes a transaction with its callbacks, their attempts and its rows in the list of what was booked. @returns its postings */
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

/** Adds what went to what is carried forward. */
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
