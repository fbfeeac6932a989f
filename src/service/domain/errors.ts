/** Every way the service refuses, and the HTTP status of each (specification 7; open-points, "General"). */
export const errorStatus = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  resource_not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  resource_exhausted: 429,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
  deadline_exceeded: 504,
} as const

export type ErrorCode = keyof typeof errorStatus

/** A refusal that the client sees as the service's error body. */
export class ServiceError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
  }
}

/** 429: a limit is used up that frees itself as time passes; `retry_after` is in seconds. */
export class RateLimited extends ServiceError {
  readonly retry_after: number

  /** @param what was too much; `try again in … s` follows it */
  constructor(what: string, retry_after: number) {
    super('resource_exhausted', `${what}; try again in ${retry_after} s`)
    this.retry_after = retry_after
  }
}

/** 401: whoever asks has not shown who it is. */
export class Unauthenticated extends ServiceError {
  /** Why the credentials hold no longer, for a caller whose password was right once. The message is the same for all. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super('unauthenticated', message)
    this.hint = hint
  }
}

/** 400: the request, or a rule of the business, does not allow it. */
export const invalid = (message: string) => new ServiceError('invalid_argument', message)

/** 404: it is not there, or not the caller's to see; which of the two is never said. */
export const notFound = (what: string, id: string | number) =>
  new ServiceError('resource_not_found', `${what} ${shown(id)} was not found`)

/** An id in quotes when it is empty, or has spaces and could be taken for words of the sentence. */
const shown = (id: string | number) => (/^[^\s"]+$/.test(String(id)) ? id : JSON.stringify(id))
