import * as z from 'zod'
import { fieldPath } from '../../lib/text/field-path.ts'
import { type Issue, issuesOf, reporting } from '../../lib/text/validation-messages.ts'
import { type ErrorCode, errorStatus } from '../../service/domain/errors.ts'
import type { Outcome } from '../../service/vocabulary/outcome.ts'
import { answerFaults } from '../../service/vocabulary/terms.ts'
import { answerSchema, channelOperations, statusesOf } from '../operations.ts'
import { duration, fields, milliseconds, oneOf, text, timeText, whole, words, yes } from '../words.ts'
import { type Where, word } from './word.ts'

const respondSchema = () =>
  words({
    status: whole(100, 599).optional().describe('HTTP status; by default the one of `error_code`.'),
    body: z.unknown().optional().describe('The whole body.'),
    error_code: oneOf('an error code', Object.keys(errorStatus) as ErrorCode[]).optional(),
    error_message: text().optional(),
    retryAfter: duration()
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
    return [
      {
        path: [...path, 'retryAfter'],
        on_key: true,
        message: `retryAfter is for 429 and 503, not ${answer.status}`,
      },
    ]
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
