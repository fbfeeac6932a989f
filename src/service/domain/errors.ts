import { fieldPath } from '../../lib/text/field-path.ts'
import { shown } from '../../lib/text/shown.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import { type Issue, MOST_TOLD, toldOf } from '../../lib/text/validation-messages.ts'

/** Error codes and their HTTP statuses (specification 7; open-points, "General"). */
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

export class ServiceError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
  }
}

/** 429: a limit that resets over time; `retry_after` is in seconds. */
export class RateLimited extends ServiceError {
  readonly retry_after: number

  /** @param what - the limit; `try again in … s` follows it */
  constructor(what: string, retry_after: number) {
    super('resource_exhausted', `${what}; try again in ${retry_after} s`)
    this.retry_after = retry_after
  }
}

export class Unauthenticated extends ServiceError {
  /** Why credentials that were valid once are no longer valid. The message is the same for all. */
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super('unauthenticated', message)
    this.hint = hint
  }
}

/** 400: the request or a business rule does not allow it. */
export const invalid = (message: string) => new ServiceError('invalid_argument', message)

/** 404: missing or not visible to the caller; the message never reveals which. */
export const notFound = (what: string, id: string | number) =>
  new ServiceError('resource_not_found', `${what} ${quoted(id)} was not found`)

/** Quotes ids that are empty or contain spaces. */
const quoted = (id: string | number) => (/^[^\s"]+$/.test(String(id)) ? id : JSON.stringify(id))

/**
 * Makes the compiler report unused fields of a request: `const { amount, ...rest } = body; noneLeft(rest)`. A new field
 * in the description does not compile until it is used or marked `x-unused`.
 */
export function noneLeft(..._rests: readonly Readonly<Record<string, never>>[]): void {}

/**
 * Does the same without a copy, which is slow, for what every payment runs:
 * `allRead<Exclude<keyof Body, 'amount'>>()` names the fields that are read.
 */
export function allRead<_Left extends never>(): void {}

/** A malformed request: `check` receives the fields that are valid. */
export type Readable<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: Readable<Value[Name]> | undefined }
    : Value

/**
 * Collects the faults of a request, so that one response reports all. Rules add to it and continue; it is thrown before
 * anything is changed. Only the first fault of a field and its subfields is reported.
 */
export class Faults {
  #messages: Map<string, string> | undefined
  #more = 0

  get any(): boolean {
    return this.#messages !== undefined
  }

  /** Whether the maximum is reached; further faults are only counted. */
  get full(): boolean {
    return (this.#messages?.size ?? 0) >= MOST_TOLD
  }

  /** Whether one of the fields, a parent or a subfield is at fault. */
  has(...fields: readonly string[]): boolean {
    if (!this.#messages) return false
    const told = [...this.#messages.keys()]
    return fields.some((field) => told.some((each) => isWithin(each, field) || isWithin(field, each)))
  }

  /** @param what - follows the field: `is required on the bank rail` */
  add(field: string, what: string): void {
    if (this.full) this.#more++
    else if (!this.has(field)) this.#tell(field, `${field} ${what}`)
  }

  /** @param expected - such as `must be a Kenyan mobile number` */
  refuse(field: string, value: unknown, expected: string): void {
    this.add(field, `${expected}, got ${shown(value)}`)
  }

  /**
   * Rejects an unknown word and suggests the nearest.
   * @param where - such as ` for momo in KE`
   */
  refuseWord(field: string, word: string, known: readonly string[], where = ''): void {
    const meant = didYouMean(word, known)
    this.add(field, `must be one of ${known.join(', ')}${where}, got ${shown(word)}${meant}`)
  }

  requireWords(field: string, text: string | undefined): void {
    if (text !== undefined && text.trim() === '') this.refuse(field, text, 'must not be blank')
  }

  /**
   * Rejects a missing or empty field.
   * @param when - such as `on the bank rail`
   */
  require(field: string, value: unknown, when: string): void {
    if (value === undefined || value === '') this.add(field, `is required ${when}`)
  }

  /** @param more - number of issues not listed */
  addIssues(issues: readonly Issue[], more: number): void {
    for (const { path, message } of issues) this.#tell(fieldPath(path), message)
    this.#more += more
  }

  /** @throws {ServiceError} 400 with all faults */
  throwAny(): void {
    if (!this.#messages) return
    throw invalid(toldOf([...this.#messages.values()], (message) => message, this.#more).join('; '))
  }

  #tell(field: string, message: string): void {
    this.#messages ??= new Map()
    const before = this.#messages.get(field)
    // A schema may reject a value for several reasons.
    this.#messages.set(field, before === undefined ? message : `${before}; ${message}`)
  }
}

/**
 * Returns what `read` returns.
 * @throws {ServiceError} 400 with all faults that `read` adds
 */
export function faultless<Value>(read: (faults: Faults) => Value): Value {
  const faults = new Faults()
  const value = read(faults)
  faults.throwAny()
  return value
}

/** Whether a field is another or its subfield: `customer.dob` in `customer`. */
const isWithin = (field: string, outer: string): boolean =>
  outer === '' ||
  (field.startsWith(outer) && (field.length === outer.length || '.['.includes(field[outer.length]!)))
