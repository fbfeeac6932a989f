/** What the sandbox's own API shows to whom: the world's owner sees all of the world, others what belongs to Teams they have a role in. */
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { membershipIn, teamsOf } from './access.ts'
import type { Caller, Look } from './context.ts'
import { transactionNotFound, whyNotKept } from './archive.ts'
import type { GetTransactionStatusByReferenceQuery } from '../../generated/extensions/requests.ts'
import { noneLeft, ServiceError } from './errors.ts'
import { findTransaction, newestWith } from './transactions.ts'

/** Whether the caller sees what belongs to a Team; asked for many rows, it looks once a Team. */
export function seesTeams(look: Look, caller: Caller): (account_id: number) => boolean {
  if (look.rows.get('users', caller.user_id)?.is_admin) return () => true
  const known = new Map<number, boolean>()
  return (id) => {
    let seen = known.get(id)
    if (seen === undefined) known.set(id, (seen = membershipIn(look, caller, id) !== undefined))
    return seen
  }
}

/** The Teams that the caller sees, newest first. */
export function visibleTeams(look: Look, caller: Caller): readonly TeamRow[] {
  const owns = look.rows.get('users', caller.user_id)?.is_admin === true
  const teams = owns ? look.rows.all('teams') : teamsOf(look, caller.user_id).map(({ team }) => team)
  return teams.toSorted((a, b) => b.id - a.id)
}

/** Returns the newest transaction with an identifier, or the one with a receipt, that the caller sees. */
export const identified = (look: Look, caller: Caller, identifier: string): TransactionRow | undefined =>
  newestWith(look, identifier, seesTeams(look, caller))

/** The same. @throws ServiceError 404 */
export function visibleTransaction(look: Look, caller: Caller, identifier: string): TransactionRow {
  const found = identified(look, caller, identifier)
  if (found) return found
  throw transactionNotFound(look, 'transaction', identifier)
}

/** Observed. */
const NOT_FOUND = 'transaction with the given reference not found'

/** The transaction that a look-up of the API's older generation names. @throws ServiceError 404 in its words */
export function findByReference(
  look: Look,
  caller: Caller,
  { reference, ...rest }: GetTransactionStatusByReferenceQuery,
): TransactionRow {
  noneLeft(rest)
  try {
    return findTransaction(look, caller, reference, 'reference')
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, `${NOT_FOUND}${whyNotKept(look, reference) ?? ''}`)
  }
}
