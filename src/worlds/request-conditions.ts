import { invalid } from '../domain/errors.ts'
import type { Complaint } from '../scenarios/complaints.ts'
import { readPredicate } from '../scenarios/predicate.ts'
import { factNames } from '../scenarios/schema.ts'
import { unknown } from '../scenarios/words.ts'
import { shown } from '../wrong-values.ts'
import type { JournalEntry } from './journal.ts'
import { factsOf, valueAt } from './request-facts.ts'

/** The words of `when` in a scenario file, and those that only a request on record has. */
const facts = ['operation', ...factNames, 'id', 'username', 'method', 'path', 'status']
const places = /^(body|query|headers|answer)\../

type Conditions = { readonly [name: string]: unknown }

/**
 * Reads conditions, all of which a request must meet.
 * @throws ServiceError 400 naming an unknown fact or predicate and the nearest right word
 */
export function requestConditions(conditions: Conditions): (entry: JournalEntry) => boolean {
  const tests = Object.entries(conditions).map(([name, wanted]) => {
    if (!facts.includes(name) && !places.test(name))
      throw invalid(`fact ${unknown(name, 'known', facts)}; or a path such as body.customer.email`)
    const read = readPredicate(name, wanted)
    if ('complaints' in read)
      throw invalid(read.complaints.map((each) => sentence(each, conditions)).join('; '))
    return { name, holds: read.holds }
  })
  return (entry) => {
    const known = factsOf(entry)
    return tests.every(({ name, holds }) => holds(valueAt(entry, known, name)))
  }
}

/** `amount.lt must be a number, got "x"`. */
function sentence({ path, message }: Complaint, conditions: Conditions): string {
  const where = path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
    '',
  )
  const begins = `${path.at(-1)} must`
  if (!message.startsWith(begins)) return `${where}: ${message}`
  const value = path.reduce<unknown>((inner, step) => (inner as Conditions)[step], conditions)
  return `${where} must${message.slice(begins.length)}, got ${shown(value)}`
}
