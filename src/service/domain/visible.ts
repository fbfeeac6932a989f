/**
 * What callers of the sandbox's own API can see: the world's owner everything, others the data of Teams in which they
 * have a role.
 */
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { membershipIn, teamsOf } from './access.ts'
import type { Caller, Look } from './context.ts'
import { transactionNotFound, archivedHint } from './archive.ts'
import type { Requests } from '../../generated/extensions/requests.ts'
import { noneLeft, ServiceError } from './errors.ts'
import { findTransaction, findNewest } from './transactions.ts'

/** Returns a function that tells whether the caller can see a Team's data; it checks each Team once. */
export function seesTeams(look: Look, caller: Caller): (account_id: number) => boolean {
  if (look.rows.get('users', caller.user_id)?.is_admin) return () => true
  const known = new Map<number, boolean>()
  return (id) => {
    let seen = known.get(id)
    if (seen === undefined) known.set(id, (seen = membershipIn(look, caller, id) !== undefined))
    return seen
  }
}

/** Returns the visible Teams, newest first. */
export function visibleTeams(look: Look, caller: Caller): readonly TeamRow[] {
  const owns = look.rows.get('users', caller.user_id)?.is_admin === true
  const teams = owns ? look.rows.all('teams') : teamsOf(look, caller.user_id).map(({ team }) => team)
  return teams.toSorted((a, b) => b.id - a.id)
}

/** Returns the newest visible transaction with an identifier or receipt. */
export const identified = (look: Look, caller: Caller, identifier: string): TransactionRow | undefined =>
  findNewest(look, identifier, seesTeams(look, caller))

/** @throws {ServiceError} 404 */
export function visibleTransaction(look: Look, caller: Caller, identifier: string): TransactionRow {
  const found = identified(look, caller, identifier)
  if (found) return found
  throw transactionNotFound(look, 'transaction', identifier)
}

/** Observed. */
const NOT_FOUND = 'transaction with the given reference not found'

/**
 * Returns the transaction of a status query of the previous API generation.
 * @throws {ServiceError} 404 with its observed message
 */
export function findByReference(
  look: Look,
  caller: Caller,
  { reference, ...rest }: Requests['getTransactionStatusByReference']['query'],
): TransactionRow {
  noneLeft(rest)
  try {
    return findTransaction(look, caller, reference, 'reference')
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, `${NOT_FOUND}${archivedHint(look, reference) ?? ''}`)
  }
}
