/** `expect`: what a file promises about its sample requests. */
import type { FieldPath } from '../lib/text/field-path.ts'
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { reasonNames } from '../service/vocabulary/rails.ts'
import { type Issue, onKey } from '../lib/text/validation-messages.ts'
import { operationNames, requestShape, statusesOf } from './operations.ts'
import { duration, milliseconds, oneOf, unknown, whole, words, yes } from '../lib/text/word-schemas.ts'

export const expectationSchema = lazy(() =>
  words({
    request: z
      .union(
        [
          oneOf('an operation', operationNames),
          words({
            operation: oneOf('an operation', operationNames),
            body: z
              .record(z.string(), z.unknown())
              .optional()
              .describe('Merged into a request that the sandbox accepts.'),
            headers: z.record(z.string(), z.string()).optional(),
          }),
        ],
        { error: 'must be an operation, or a map with operation, body, headers' },
      )
      .describe('The sample request.'),
    after: duration().optional().describe('Time that passes before the request.'),
    times: whole(1, 1_000).optional().describe('How many times the request is sent.'),
    for: duration().optional().describe('How long to observe the world; by default until no job is pending.'),
    statusQueries: whole(0, 1_000).optional().describe('Number of status queries sent.'),
    response: z
      .union(
        [
          whole(100, 599),
          z.literal('cut'),
          words({ status: whole(100, 599).optional(), body: z.unknown().optional() }),
        ],
        { error: 'must be a status, cut, or a map with status and body' },
      )
      .optional(),
    delay: duration().optional().describe('Minimum delay of the response.'),
    status: oneOf('a status', ['queued', 'success', 'failed', 'reversed'])
      .optional()
      .describe('The final status in the status query.'),
    statuses: z
      .partialRecord(z.enum(['queued', 'success', 'failed', 'reversed']), z.int())
      .optional()
      .describe('How many requests end in each status.'),
    reason: oneOf('a reason', reasonNames).optional(),
    callbacks: z
      .array(z.union([z.string(), z.record(z.string(), z.unknown())]), { error: 'must be a list' })
      .optional()
      .describe('The callbacks that arrive, in order: the status or a part of the body of each.'),
    callbackBeforeResponse: yes().optional().describe('The callback arrives before the response.'),
    kyc: z
      .array(z.string(), { error: 'must be a list' })
      .optional()
      .describe('The states of the review, in order.'),
    ledger: z
      .partialRecord(z.enum(['wallet', 'service_wallet', 'savings', 'in_transit']), z.number())
      .optional()
      .describe('How much each account of the Team gains.'),
    statement: z
      .array(z.number(), { error: 'must be a list of amounts' })
      .optional()
      .describe('The amounts in the wallet statement, in order.'),
  }),
)

type ExpectationFile = z.infer<ReturnType<typeof expectationSchema>>

/** What a file expects of one request. */
export type Expectation = ReturnType<typeof expectationOf>

/** Returns an expectation with durations in milliseconds and defaults. */
export function expectationOf(expect: ExpectationFile) {
  const { request, response: answer } = expect
  const shown = typeof request === 'string' ? { operation: request } : request
  return {
    request: { operation: shown.operation, body: shown.body ?? {}, headers: shown.headers ?? {} },
    after: milliseconds(expect.after) ?? 0,
    times: expect.times ?? 1,
    for: milliseconds(expect.for),
    statusQueries: expect.statusQueries ?? 0,
    response:
      answer === undefined
        ? undefined
        : {
            status: answer === 'cut' ? undefined : typeof answer === 'number' ? answer : answer.status,
            body: typeof answer === 'object' ? answer.body : undefined,
            cut: answer === 'cut',
          },
    delay: milliseconds(expect.delay),
    status: expect.status,
    statuses: expect.statuses as { readonly [status: string]: number } | undefined,
    reason: expect.reason,
    callbacks: expect.callbacks,
    callback_before_response: expect.callbackBeforeResponse ?? false,
    kyc: expect.kyc,
    ledger: expect.ledger,
    statement: expect.statement,
  }
}

/** Reports fields that an operation does not have and statuses that it does not declare. */
export function checkExpect(expect: ExpectationFile | ExpectationFile[] | undefined): Issue[] {
  if (expect === undefined) return []
  return Array.isArray(expect)
    ? expect.flatMap((each, index) => checkOne(['expect', index], each))
    : checkOne(['expect'], expect)
}

function checkOne(path: FieldPath, { request, response: answer }: ExpectationFile): Issue[] {
  const { operation, body = {} } = typeof request === 'string' ? { operation: request } : request
  const fields = Object.keys(requestShape(operation, 'body') ?? {})
  const strange = Object.keys(body).filter((field) => !fields.includes(field))
  const status = typeof answer === 'object' ? answer.status : answer
  const declared = statusesOf(operation)
  const undeclared = typeof status === 'number' && !declared.includes(status)
  return [
    ...strange.flatMap((field) =>
      onKey(
        [...path, 'request', 'body', field],
        unknown(field, `a field of the body of ${operation}`, fields),
      ),
    ),
    ...(undeclared
      ? [
          {
            path: [...path, 'response', ...(typeof answer === 'object' ? ['status'] : [])],
            message: `${operation} does not declare ${status}; it declares ${declared.join(', ')}`,
          },
        ]
      : []),
  ]
}
