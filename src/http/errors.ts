import type { Context } from 'hono'
import { errorStatus, ServiceError } from '../domain/errors.ts'
import { RateLimited } from './rate-limit.ts'

/** Writes a refusal in the service's error body (specification 7). */
export function answerError(c: Context, error: ServiceError): Response {
  const status = errorStatus[error.code]
  if (error.code === 'unauthenticated') c.header('WWW-Authenticate', 'Basic realm="payments-sandbox"')
  if (error instanceof RateLimited) c.header('Retry-After', String(error.retry_after))
  // The rest of a body that is too large is not read; the connection cannot be used again.
  if (error.code === 'payload_too_large') c.header('Connection', 'close')
  return c.json({ error_code: error.code, error_message: error.message, status_code: status }, status)
}

/** A fault of ours, without its details, which are in the log. */
export const internal = () =>
  new ServiceError('internal', 'the sandbox failed to handle this request; its log says why')
