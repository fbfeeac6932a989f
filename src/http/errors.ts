import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Log } from '../lib/log/log.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { issuesText, type Telling } from '../lib/text/validation-messages.ts'
import { errorStatus, invalid, RateLimited, ServiceError } from '../service/domain/errors.ts'
import { StoreUnavailable } from '../storage/store/store.ts'
import type { JsonReply } from './handler.ts'
import { headerOf } from './origin.ts'

/** The most characters of a message, as the description has it: it quotes what was refused, which may be long. */
const LONGEST_MESSAGE = 10_000

/** Seconds until the store is worth another request: outages of seconds and rejected moments are over by then. */
const RETRY_AFTER = '1'

/**
 * A refusal in the service's error body (specification 7).
 * @param c the request, where the refusal may be of its credentials
 */
export function refusalReply(error: ServiceError, headers: Headers = {}, c?: Context): JsonReply {
  const status = errorStatus[error.code]
  const error_message =
    error.message.length > LONGEST_MESSAGE ? `${error.message.slice(0, LONGEST_MESSAGE - 1)}…` : error.message
  const body = { error_code: error.code, error_message, status_code: status }
  return { status, body, headers: { ...headers, ...headersOf(error, c) } }
}

type Headers = { readonly [name: string]: string }

function headersOf(error: ServiceError, c: Context | undefined): Headers {
  if (error.code === 'unauthenticated') return { 'WWW-Authenticate': challengeFor(c) }
  if (error instanceof RateLimited) return { 'Retry-After': String(error.retry_after) }
  // The rest of a body that is too large is not read; the connection cannot be used again.
  if (error.code === 'payload_too_large') return { Connection: 'close' }
  return {}
}

/**
 * The scheme is Basic, but a browser that reads so after a request of a script opens its own sign-in box over the page, which
 * has a form for the credentials: scripts are told of a scheme that no browser knows.
 */
const challengeFor = (c: Context | undefined) =>
  `${c && asksByScript(c) ? 'xBasic' : 'Basic'} realm="payments-sandbox"`

/** By what browsers alone say of a request; the fetch of Node, as other programs, names no destination. */
const asksByScript = (c: Context) =>
  headerOf(c, 'sec-fetch-dest') === 'empty' ||
  headerOf(c, 'x-requested-with')?.toLowerCase() === 'xmlhttprequest'

/**
 * The answer for what was thrown: a refusal as it is, a fault of ours without its details, which go to the log.
 * @param headers of the answer, beside those that a refusal has by itself
 */
export function refusalOf(error: unknown, c: Context, log: Log, headers?: Headers): JsonReply {
  if (error instanceof ServiceError) return refusalReply(error, headers, c)
  // The store has said so in the log, once.
  if (error instanceof StoreUnavailable)
    return refusalReply(new ServiceError('unavailable', error.message), {
      ...headers,
      ...(!error.final && { 'Retry-After': RETRY_AFTER }),
    })
  if (brokeOff(c)) return refusalReply(invalid('the request broke off before its end'))
  const { message, stack } = error as Error
  log.error('fault', { method: c.req.method, path: c.req.path, message, stack })
  return refusalReply(internal())
}

/** Whether the client went away while it was still sending. Nobody reads the answer then, but it is recorded and counted. */
function brokeOff(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>
  return incoming !== undefined && incoming.destroyed && !incoming.complete
}

const internal = () =>
  new ServiceError('internal', 'the sandbox failed to handle this request; its log says why')

/** What the fields of a request are called in messages. */
export const fieldName: Telling['name'] = (path) => fieldPath(path) || 'the request body'

/**
 * One error for everything that a value of a request has wrong, in the order of its fields.
 * @param error of a parse with `reporting`
 */
export const validationError = (error: z.ZodError): ServiceError =>
  invalid(issuesText(error, { name: fieldName }))
