import type { Context } from 'hono'
import type { z } from 'zod'
import type { Log } from '../lib/log/log.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { issuesText, type Telling } from '../lib/text/validation-messages.ts'
import { errorStatus, invalid, RateLimited, ServiceError } from '../service/domain/errors.ts'
import { StoreUnavailable } from '../storage/store/change.ts'
import type { Headers, JsonReply } from './handler.ts'
import { headerOf, incomingOf } from './caller.ts'

/** Maximum length of a message, as in the description. Messages quote values, which may be long. */
const LONGEST_MESSAGE = 10_000

/** Seconds after which a request may succeed again: outages of the store are usually over by then. */
const RETRY_AFTER = '1'

/**
 * Returns the service's error body (specification 7).
 * @param c - the request, if its credentials may be invalid
 */
export function errorReply(error: ServiceError, headers: Headers = {}, c?: Context): JsonReply {
  const status = errorStatus[error.code]
  const error_message =
    error.message.length > LONGEST_MESSAGE ? `${error.message.slice(0, LONGEST_MESSAGE - 1)}…` : error.message
  const body = { error_code: error.code, error_message, status_code: status }
  return { status, body, headers: { ...headers, ...headersOf(error, c) } }
}

function headersOf(error: ServiceError, c: Context | undefined): Headers {
  if (error.code === 'unauthenticated') return { 'WWW-Authenticate': challengeFor(c) }
  if (error instanceof RateLimited) return { 'Retry-After': String(error.retry_after) }
  // The rest of the body is not read, so the connection cannot be reused.
  if (error.code === 'payload_too_large') return { Connection: 'close' }
  return {}
}

/**
 * Browsers open a sign-in box over the page if a script's request returns the scheme Basic. The dashboard has its own
 * form, so scripts receive a scheme that browsers do not know.
 */
const challengeFor = (c: Context | undefined) =>
  `${c && asksByScript(c) ? 'xBasic' : 'Basic'} realm="payments-sandbox"`

/** Checks headers that only browsers send; fetch in Node.js sends no destination. */
const asksByScript = (c: Context) =>
  headerOf(c, 'sec-fetch-dest') === 'empty' ||
  headerOf(c, 'x-requested-with')?.toLowerCase() === 'xmlhttprequest'

/**
 * Returns the response for a thrown value: a ServiceError as it is, any other error without details, which are logged.
 * @param headers - added to those of the error
 */
export function refusalOf(error: unknown, c: Context, log: Log, headers?: Headers): JsonReply {
  if (error instanceof ServiceError) {
    const isShort = error.code === 'unavailable'
    return errorReply(error, isShort ? { 'Retry-After': RETRY_AFTER, ...headers } : headers, c)
  }
  // The store has already logged the error.
  if (error instanceof StoreUnavailable)
    return errorReply(new ServiceError('unavailable', error.message), {
      ...headers,
      ...(!error.final && { 'Retry-After': RETRY_AFTER }),
    })
  if (brokeOff(c)) return errorReply(invalid('the connection closed before the end of the request'))
  const { message, stack } = error as Error
  log.error('fault', { method: c.req.method, path: c.req.path, message, stack })
  return errorReply(internal())
}

/** Whether the client disconnected while sending. No one reads the response, but it is logged and counted. */
function brokeOff(c: Context): boolean {
  const incoming = incomingOf(c)
  return incoming !== undefined && incoming.destroyed && !incoming.complete
}

const internal = () =>
  new ServiceError('internal', 'the sandbox failed to handle this request; its log contains the reason')

export const fieldName: Telling['name'] = (path) => fieldPath(path) || 'the request body'

/**
 * Returns one error with all issues of a value, in the order of its fields.
 * @param error - of a parse with `reporting`
 */
export const validationError = (error: z.ZodError): ServiceError =>
  invalid(issuesText(error, { name: fieldName }))
