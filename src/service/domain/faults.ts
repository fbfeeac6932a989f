import { fieldPath } from '../../lib/text/field-path.ts'
import { shown } from '../../lib/text/shown.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import { type Issue, MOST_TOLD, toldOf } from '../../lib/text/validation-messages.ts'
import { invalid } from './errors.ts'

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
