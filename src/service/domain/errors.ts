import { fieldPath } from '../../lib/text/field-path.ts'
import { shown } from '../../lib/text/shown.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import { type Issue, MOST_TOLD, toldOf } from '../../lib/text/validation-messages.ts'

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
  new ServiceError('resource_not_found', `${what} ${quoted(id)} was not found`)

/** An id in quotes when it is empty, or has spaces and could be taken for words of the sentence. */
const quoted = (id: string | number) => (/^[^\s"]+$/.test(String(id)) ? id : JSON.stringify(id))

/**
 * Keeps the compiler watching that no field of a request is dropped in silence. Whoever uses a request takes its fields out by name
 * and hands on what is left: `const { amount, ...rest } = body; noneLeft(rest)`. A field that the description gains is left over, and
 * this does not compile until it is used, or the description says why it is not (`x-unused`). The copy costs a payment 0.2 µs.
 */
export function noneLeft(..._rests: readonly Readonly<Record<string, never>>[]): void {}

/** A request of which any field may be missing: `check` gets those fields that are in the right form. */
export type Readable<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: Readable<Value[Name]> | undefined }
    : Value

/**
 * What is wrong with the form and the values of a request, told at once. Rules add to it and go on; before anything is done
 * for the request, it is thrown. Only the first fault of a field is told, and none of what stands within it.
 */
export class Faults {
  /** By field; made with the first. */
  #messages: Map<string, string> | undefined
  #more = 0

  get any(): boolean {
    return this.#messages !== undefined
  }

  /** Whether as many are told as ever are: any more are only counted. */
  get full(): boolean {
    return (this.#messages?.size ?? 0) >= MOST_TOLD
  }

  /** Whether one of the fields, what it stands in, or something in it is at fault. */
  has(...fields: readonly string[]): boolean {
    if (!this.#messages) return false
    const told = [...this.#messages.keys()]
    return fields.some((field) => told.some((each) => isWithin(each, field) || isWithin(field, each)))
  }

  /** @param what is wrong, as words after the field: `is required on the bank rail` */
  add(field: string, what: string): void {
    if (this.full) this.#more++
    else if (!this.has(field)) this.#tell(field, `${field} ${what}`)
  }

  /** @param expected what the value must be, as in `must be a Kenyan mobile number` */
  refuse(field: string, value: unknown, expected: string): void {
    this.add(field, `${expected}, got ${shown(value)}`)
  }

  /**
   * Refuses a word that is none of those known, with the nearest of them.
   * @param where they are known, as in ` for momo in KE`
   */
  refuseWord(field: string, word: string, known: readonly string[], where = ''): void {
    const meant = didYouMean(word, known)
    this.add(field, `must be one of ${known.join(', ')}${where}, got ${shown(word)}${meant}`)
  }

  /** Refuses a text of nothing but blanks. */
  requireWords(field: string, text: string | undefined): void {
    if (text !== undefined && text.trim() === '') this.refuse(field, text, 'must not be blank')
  }

  /** Refuses a field that is not there, or empty. @param when it has to be, as in `on the bank rail` */
  require(field: string, value: unknown, when: string): void {
    if (value === undefined || value === '') this.add(field, `is required ${when}`)
  }

  /** Adds what a schema has refused. @param more how many issues there are beside */
  addIssues(issues: readonly Issue[], more: number): void {
    for (const { path, message } of issues) this.#tell(fieldPath(path), message)
    this.#more += more
  }

  /** @throws ServiceError 400 with every fault there is */
  throwAny(): void {
    if (!this.#messages) return
    throw invalid(toldOf([...this.#messages.values()], (message) => message, this.#more).join('; '))
  }

  #tell(field: string, message: string): void {
    this.#messages ??= new Map()
    const before = this.#messages.get(field)
    // A schema may refuse one value for several reasons.
    this.#messages.set(field, before === undefined ? message : `${before}; ${message}`)
  }
}

/** Whether a field is another, or stands in it: `customer.dob` in `customer`. */
const isWithin = (field: string, outer: string): boolean =>
  outer === '' ||
  (field.startsWith(outer) && (field.length === outer.length || '.['.includes(field[outer.length]!)))
