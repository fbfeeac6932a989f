import { operations } from '../generated/service/operations.ts'
import { reasons } from '../service/vocabulary/rails.ts'
import type { Coverage, Met } from './certification.ts'
import type { WorldRecord } from './world-record.ts'

const STATUSES = ['QUEUED', 'SUCCESS', 'FAILED', 'REVERSED']
const ERRORS =
  'invalid_argument unauthenticated permission_denied resource_not_found resource_exhausted internal unavailable'.split(
    ' ',
  )

const metOf = (found: Iterable<unknown>, all: readonly string[]): Met => {
  const seen = new Set(found)
  return { met: all.filter((each) => seen.has(each)), missing: all.filter((each) => !seen.has(each)) }
}

const errorCodeOf = (response: unknown): unknown =>
  (response as { readonly error_code?: unknown } | null)?.error_code

/** Returns the parts of the service that the shop met: operations it called, and statuses, reasons and errors it was sent. */
export function coverageOf(records: readonly WorldRecord[]): Coverage {
  const requests = records.flatMap((record) => record.requests)
  const payments = records.flatMap(({ transactions }) => transactions)
  // A payment is queued before its callback.
  const queued = payments.length > 0 ? ['QUEUED'] : []
  return {
    operations: metOf(
      requests.map(({ operation }) => operation),
      Object.keys(operations),
    ),
    statuses: metOf([...queued, ...payments.map(({ status }) => status)], STATUSES),
    reasons: metOf(
      payments.map(({ reason }) => reason),
      Object.keys(reasons),
    ),
    errors: metOf(
      requests.map(({ response }) => errorCodeOf(response)),
      ERRORS,
    ),
  }
}
