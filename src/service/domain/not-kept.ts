/** What is said of a transaction that is not found, in a world that has folded some. */
import type { Keep } from '../vocabulary/keep.ts'
import { formatDuration } from '../../lib/text/duration.ts'
import type { Look } from './context.ts'
import { wasGivenOut } from './counters.ts'
import { notFound, ServiceError } from './errors.ts'
import { numberOfReference } from './references.ts'
import { type FoldedTotals, foldedIn } from './retention.ts'
import { wireTime } from './wire-time.ts'

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
  if (foldedIn(look) && isGone(look, identifier)) throw transactionNotFound(look, field, identifier)
}

/** What a message adds that says that a transaction was not found; undefined in a world that has folded none. */
export function whyNotKept(look: Look, identifier: string): string | undefined {
  const folded = foldedIn(look)
  if (!folded) return undefined
  return isGone(look, identifier)
    ? `: it ended no later than ${wireTime(folded.through)} and is kept no longer; ${inWords(look.settings.keep)}`
    : `; ${inWords(look.settings.keep)}, and it may be one of the ${countOf(folded)} before`
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

const countOf = ({ transactions }: FoldedTotals) =>
  transactions === 1 ? '1 that was' : `${transactions} that were`
