/** Ends that no transaction and no review can come to. */
import { reasonsOf } from '../reasons.ts'
import type { Direction } from '../terms.ts'
import type { Issue } from '../validation-messages.ts'
import type { ScenarioFile, ThenFile } from './schema.ts'
import { milliseconds, unknown } from './words.ts'

type Path = readonly (string | number)[]

/** What of a `then` could never come true, or would be lost. */
export const checkEnd = (
  file: ScenarioFile,
  operations: readonly string[],
  path: Path,
  then: ThenFile,
): Issue[] => [
  ...checkReason(file, operations, path, then),
  ...checkLater(path, then),
  ...checkReview(path, then),
]

/** The one direction that all requests have, when there is one. */
function directionOf(file: ScenarioFile, operations: readonly string[]): Direction | undefined {
  const asked = [...new Set([file.when?.direction ?? []].flat())]
  if (asked.length === 1) return asked[0]
  if (operations.every((operation) => operation === 'createCollection')) return 'payin'
  return operations.every((operation) => operation === 'createWithdrawal') ? 'payout' : undefined
}

function checkReason(
  file: ScenarioFile,
  operations: readonly string[],
  path: Path,
  { settle }: ThenFile,
): Issue[] {
  const direction = directionOf(file, operations)
  if (!settle?.reason || !direction) return []
  const known = reasonsOf(direction)
  if (known.includes(settle.reason)) return []
  const message = unknown(settle.reason, `a reason of a ${direction}`, known)
  return [{ path: [...path, 'settle', 'reason'], message }]
}

/** A success is reversed, a failure succeeds late, and what stays queued comes to neither. */
function checkLater(path: Path, { settle, later }: ThenFile): Issue[] {
  if (!later) return []
  if (settle?.never)
    return [
      {
        path: [...path, 'later'],
        on_key: true,
        message: 'later and settle never exclude each other: it has no end to count from',
      },
    ]
  const fails = settle?.status === 'failed'
  const [first] = later.toSorted((a, b) => milliseconds(a.after) - milliseconds(b.after))
  if (!first || (first.status === 'success') === fails) return []
  const message = fails
    ? 'a failure cannot be reversed; its later status is success'
    : 'a success cannot succeed again; its later status is reversed'
  return [{ path: [...path, 'later', later.indexOf(first), 'status'], message }]
}

function checkReview(path: Path, { review }: ThenFile): Issue[] {
  if (!review || review === 'never') return []
  return review.flatMap(({ status, reasons }, index) =>
    reasons && status !== 'rejected'
      ? [
          {
            path: [...path, 'review', index, 'reasons'],
            on_key: true,
            message: 'reasons are only for status: rejected',
          },
        ]
      : [],
  )
}
