import * as z from 'zod'
import type { Outcome, Plan, LookUpPlan } from '../../service/vocabulary/outcome.ts'
import { statementFaults, answerFaults } from '../../service/vocabulary/terms.ts'
import { type Issue, issuesOf, onKey, reporting } from '../../lib/text/validation-messages.ts'
import { reasonNames, reasonsOf } from '../../service/vocabulary/rails.ts'
import { kycOperations, moneyOperations, answerSchema, channelOperations, statusesOf } from '../operations.ts'
import {
  duration,
  fields,
  milliseconds,
  oneOf,
  text,
  timeText,
  unknown,
  whole,
  words,
  yes,
} from '../../lib/text/word-schemas.ts'
import { type Where, word } from './word.ts'
import { fieldPath } from '../../lib/text/field-path.ts'
import { type ErrorCode, errorStatus } from '../../service/domain/errors.ts'

const settleSchema = () =>
  words({
    after: duration().optional().describe('Time after the request was accepted.'),
    afterStatusQueries: whole(1, 1_000).optional().describe('At this status query, counted from 1.'),
    never: yes().optional().describe('Stays queued.'),
    status: oneOf('a final status', ['success', 'failed']).optional(),
    reason: oneOf('a reason', reasonNames).optional().describe('Why the transaction fails.'),
  })

type Settle = z.infer<ReturnType<typeof settleSchema>>

export const settle = word({
  description: 'How the transaction ends.',
  schema: settleSchema,
  example: '{ after: 3s, status: failed, reason: expired }',
  about: 'result',
  operations: moneyOperations,
  part: 'settle',
  compile: ({ status, reason, after, afterStatusQueries, never }) => ({
    status,
    reason,
    after: milliseconds(after),
    after_status_queries: afterStatusQueries,
    never,
  }),
  describe: (settle) => [endText(settle)],
  check: (written, where) => [...checkForm(written, where), ...checkReason(written, where)],
})

function endText({
  status,
  reason,
  after,
  after_status_queries,
  never,
}: NonNullable<Plan['settle']>): string {
  if (never) return 'stays queued'
  const end = status === 'failed' ? `fails${reason ? ` (${reason})` : ''}` : 'succeeds'
  if (after_status_queries !== undefined) return `${end} at status query ${after_status_queries}`
  return after === undefined ? end : `${end} after ${timeText(after)}`
}

function checkForm(settle: Settle, { path }: Where): readonly Issue[] {
  const ways = (['after', 'afterStatusQueries', 'never'] as const).filter(
    (word) => settle[word] !== undefined,
  )
  if (ways.length > 1) return onKey([...path, ways[1]!], `${ways.join(' and ')} exclude each other; keep one`)
  if (settle.never && (settle.status ?? settle.reason))
    return onKey([...path, 'never'], 'never has no status and no reason')
  if (settle.status === 'failed' && !settle.reason)
    return [{ path: [...path, 'status'], message: 'status failed needs a reason' }]
  if (settle.reason && settle.status !== 'failed')
    return onKey([...path, 'reason'], 'a reason needs status: failed')
  return []
}

/** Some reasons only occur in one direction, such as those of payers. */
function checkReason({ reason }: Settle, { path, direction }: Where): readonly Issue[] {
  if (!reason || !direction) return []
  const known = reasonsOf(direction)
  if (known.includes(reason)) return []
  return [{ path: [...path, 'reason'], message: unknown(reason, `a reason of a ${direction}`, known) }]
}

const laterSchema = () =>
  z.array(
    words({
      after: duration(),
      nextBusinessDay: yes()
        .optional()
        .describe('On a weekend or public holiday of the country, waits until nine on the next working day.'),
      status: oneOf('a later status', ['success', 'reversed']),
    }),
    { error: 'must be a list such as [{ after: 10m, status: reversed }]' },
  )

type Later = z.infer<ReturnType<typeof laterSchema>>

export const later = word({
  description: 'What happens after the transaction ended, with times counted from its end.',
  schema: laterSchema,
  example: '[{ after: 10m, status: reversed }]',
  about: 'result',
  operations: moneyOperations,
  part: 'later',
  compile: (written) =>
    written.map(({ after, nextBusinessDay, status }) => ({
      after: milliseconds(after),
      status,
      ...(nextBusinessDay && { next_business_day: true }),
    })),
  describe: (later) =>
    later.map(
      ({ after, status, next_business_day }) =>
        `then ${status} after ${timeText(after)}${next_business_day ? ', on a business day' : ''}`,
    ),
  check: checkLater,
})

/** A success can be reversed and a failure can succeed late. A queued transaction has no end to count from. */
function checkLater(later: Later, { path, then: { settle } }: Where): readonly Issue[] {
  if (settle?.never)
    return onKey(
      path,
      'later and settle never exclude each other: without an end there is no time to count from',
    )
  const fails = settle?.status === 'failed'
  const [first] = later.toSorted((a, b) => milliseconds(a.after) - milliseconds(b.after))
  if (!first || (first.status === 'success') === fails) return []
  const message = fails
    ? 'a failure cannot be reversed; its later status is success'
    : 'a success cannot succeed again; its later status is reversed'
  return [{ path: [...path, later.indexOf(first), 'status'], message }]
}

const reviewSchema = () =>
  z.union(
    [
      z.literal('never'),
      z
        .array(
          words({
            status: oneOf('a state of a review', ['in_review', 'approved', 'rejected']),
            after: duration().describe('Time after the submission.'),
            reasons: z.array(text(), { error: 'must be a list of texts' }).optional(),
          }),
        )
        .min(1, { error: 'must have at least one state, or be never' }),
    ],
    { error: 'must be never, or a list such as [{ status: approved, after: 5s }]' },
  )

type Review = z.infer<ReturnType<typeof reviewSchema>>

export const review = word({
  description: 'How a KYC submission is reviewed.',
  schema: reviewSchema,
  example: '[{ status: in_review, after: 5s }, { status: approved, after: 10s }]',
  about: 'result',
  operations: kycOperations,
  part: 'review',
  compile: (written) =>
    written === 'never'
      ? []
      : written.map(({ status, after, reasons = [] }) => ({ status, after: milliseconds(after), reasons })),
  describe: (review) => [review.map(({ status }) => status).join(' then ') || 'review never ends'],
  check: checkReview,
})

/** A review moves from pending to in_review and ends with approved or rejected; it may skip in_review. */
function checkReview(review: Review, { path }: Where): readonly Issue[] {
  if (review === 'never') return []
  return review.flatMap(({ status, after, reasons }, index): readonly Issue[] => {
    const at = (word: string) => [...path, index, word]
    const before = review[index - 1]
    if (reasons && status !== 'rejected') return onKey(at('reasons'), 'reasons are only for status: rejected')
    if (before && before.status !== 'in_review')
      return [{ path: at('status'), message: `${before.status} ends the review, so ${status} cannot follow` }]
    if (before && status === 'in_review')
      return [{ path: at('status'), message: 'in_review cannot follow in_review' }]
    if (before && milliseconds(after) < milliseconds(before.after))
      return [{ path: at('after'), message: `must not be before ${before.status}, after ${before.after}` }]
    return []
  })
}

const statuses = ['queued', 'success', 'failed', 'reversed'] as const

export const statusQuery = word({
  description: 'What status queries return once the transaction is final, regardless of the callback.',
  schema: () =>
    words({
      status: oneOf('a status of status queries', statuses).optional(),
      reason: oneOf('a reason', reasonNames).optional(),
      set: fields().optional().describe('Fields of the response to replace or add.'),
    }).refine((written) => Object.keys(written).length > 0, { error: 'must have a status, a reason or set' }),
  example: '{ status: failed, reason: expired }',
  about: 'result',
  operations: moneyOperations,
  part: 'status_query',
  compile: (written) => written,
  describe: (statusQuery) => [`status queries return ${shown(statusQuery)}`],
})

const shown = ({ status, reason, set }: LookUpPlan) =>
  [status, reason, set && `other ${Object.keys(set).join(', ')}`].filter(Boolean).join(', ')

export const statement = word({
  description: 'Makes the statement wrong in this way; the ledger stays right.',
  schema: () => oneOf('a fault of statements', statementFaults),
  example: 'line-missing',
  about: 'result',
  operations: moneyOperations,
  part: 'statement',
  compile: (written) => written,
  describe: (statement) => [`statement with ${statement}`],
})

const respondSchema = () =>
  words({
    status: whole(100, 599).optional().describe('HTTP status; by default the one of `error_code`.'),
    body: z.unknown().optional().describe('The whole body.'),
    error_code: oneOf('an error code', Object.keys(errorStatus) as ErrorCode[]).optional(),
    error_message: text().optional(),
    retryAfter: duration({ least: 1_000 })
      .optional()
      .describe('The header `Retry-After`, in whole seconds; for 429 and 503.'),
    performed: yes().optional().describe('Performs the operation before it responds with the error.'),
  })

type Respond = z.infer<ReturnType<typeof respondSchema>>
type Answer = NonNullable<Outcome['respond']>

export const respond = word({
  description: 'Responds with this instead of processing the request.',
  schema: respondSchema,
  example: '{ error_code: unavailable, error_message: try again }',
  about: 'response',
  operations: null,
  part: 'respond',
  compile: answerOf,
  describe: ({ status, performed }) => [
    `${performed ? 'performs the operation and ' : ''}responds with ${status}`,
  ],
  check: checkRespond,
})

/** Returns the given body, or the service's error body with defaults. */
export function answerOf(respond: Respond): Answer {
  const { status: written, body, error_code, error_message, retryAfter, performed } = respond
  const status = written ?? (error_code ? errorStatus[error_code] : 400)
  const seconds = Math.ceil((milliseconds(retryAfter) ?? 0) / 1000)
  const later = { ...(seconds > 0 && { retry_after: seconds }), ...(performed && { performed }) }
  if (body !== undefined) return { status, body, ...later }
  return {
    status,
    ...later,
    body: {
      error_code: error_code ?? codeOf(status),
      error_message: error_message ?? `a scenario responds with ${status}`,
      status_code: status,
    },
  }
}

/** Returns the error code of a status, or `internal`. */
const codeOf = (status: number): ErrorCode =>
  (Object.keys(errorStatus) as ErrorCode[]).find((code) => errorStatus[code] === status) ?? 'internal'

function checkRespond(written: Respond, { path, operations, named }: Where): readonly Issue[] {
  const { status, body, error_code, error_message } = written
  if (body === undefined && error_code === undefined && error_message === undefined) {
    if (status === undefined) return [{ path, message: 'respond needs a status, a body or an error_code' }]
    if (status < 400) return [{ path: [...path, 'status'], message: `status ${status} needs a body` }]
  }
  const answer = answerOf(written)
  if (written.retryAfter !== undefined && answer.status !== 429 && answer.status !== 503)
    return onKey([...path, 'retryAfter'], `retryAfter is for 429 and 503, not ${answer.status}`)
  // A file that names no operation only needs one that declares the status.
  const asked = named
    ? operations
    : operations.filter((each) => statusesOf(each).includes(answer.status)).slice(0, 1)
  if (asked.length === 0)
    return [{ path: [...path, 'status'], message: `no operation declares ${answer.status}` }]
  return asked.flatMap((operation) => checkAnswer(operation, path, answer))
}

function checkAnswer(operation: string, path: Issue['path'], { status, body }: Answer): readonly Issue[] {
  const declared = answerSchema(operation, status)
  if (!declared) {
    const known = statusesOf(operation).join(', ')
    const message = `${operation} does not declare ${status}; it declares ${known}`
    return [{ path: [...path, 'status'], message }]
  }
  const result = declared.safeParse(body, reporting)
  if (result.success) return []
  const { told, more } = issuesOf(result.error, { name: (path) => fieldPath(path) || 'the body' })
  return [...told, ...(more > 0 ? [{ path: [], message: `and ${more} more` }] : [])].map((issue) => ({
    path: [...path, 'body', ...issue.path],
    message: `${operation} ${status}: ${issue.message}`,
  }))
}

/** Clients rarely wait longer for a response. */
export const DELAYS = { most: 3_600_000 }

export const delay = word({
  description: 'Holds the response back this long; an hour at most.',
  schema: () => duration(DELAYS),
  example: '25s',
  about: 'response',
  operations: null,
  part: 'delay',
  compile: (written) => milliseconds(written),
  describe: (delay) => [`delayed ${timeText(delay)}`],
})

export const fault = word({
  description: 'Breaks the response in this way.',
  schema: () => oneOf('a fault', answerFaults),
  example: 'lost-response',
  about: 'response',
  operations: null,
  part: 'fault',
  compile: (written) => written,
  describe: (fault) => [fault],
})

export const response = word({
  description: 'Changes fields of the real response or adds undocumented ones.',
  schema: () => words({ set: fields().describe('Fields to replace or add.') }),
  example: '{ set: { risk_score: 12 } }',
  about: 'request',
  operations: null,
  part: 'response',
  compile: ({ set }) => set,
  describe: (set) => [`answer with other ${Object.keys(set).join(', ')}`],
})

export const channel = word({
  description: 'Closes the channel that the request names.',
  schema: () =>
    words({
      deactivate: yes().describe('Closes the channel before the request is processed.'),
      reactivateAfter: duration().optional(),
    }),
  example: '{ deactivate: true, reactivateAfter: 10m }',
  about: 'request',
  operations: channelOperations,
  part: 'channel',
  compile: ({ reactivateAfter }) => ({ reactivate_after: milliseconds(reactivateAfter) }),
  describe: () => ['channel closed'],
})
