import type { GetTransactionStatusByReferenceQuery } from '../../generated/extensions/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { Caller, Look } from './context.ts'
import { ServiceError } from './errors.ts'
import { whyNotKept } from './not-kept.ts'
import { noneLeft } from './request-fields.ts'
import { findTransaction } from './transactions.ts'

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
