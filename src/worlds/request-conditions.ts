import { invalid } from '../domain/errors.ts'
import { fieldPath } from '../field-path.ts'
import type { Issue } from '../validation-messages.ts'
import { readPredicate } from '../scenarios/predicates.ts'
import { beginLook, patternsIssue } from '../scenarios/patterns.ts'
import { factNames } from '../scenarios/facts.ts'
import { MOST_CONDITIONS } from '../scenarios/when.ts'
import { unknown } from '../scenarios/words.ts'
import { readerOf, type ReadRequest } from './request-facts.ts'

/** The words of `when` in a scenario file, and those that only a request on record has. */
const facts = ['operation', ...factNames, 'id', 'username', 'method', 'path', 'status']
const places = /^(body|query|headers|answer)\../

type Conditions = { readonly [name: string]: unknown }

/** Whether a request on the record is meant. */
export type RequestTest = (request: ReadRequest) => boolean

/**
 * Reads conditions, all of which a request must meet.
 * @throws ServiceError 400 naming an unknown fact or predicate and the nearest right word
 */
export async function requestConditions(conditions: Conditions): Promise<RequestTest> {
  const wanted = Object.entries(conditions)
  if (wanted.length > MOST_CONDITIONS)
    throw invalid(`conditions may be at most ${MOST_CONDITIONS}, got ${wanted.length}; leave some out`)
  const issue = patternsIssue(conditions)
  if (issue) throw invalid(`the request body ${issue}`)
  const tests: RequestTest[] = []
  for (const [name, predicate] of wanted) tests.push(await conditionOn(name, predicate))
  return (request) => {
    beginLook()
    return tests.every((test) => test(request))
  }
}

async function conditionOn(name: string, wanted: unknown): Promise<RequestTest> {
  if (!facts.includes(name) && !places.test(name))
    throw invalid(`fact ${unknown(name, 'known', facts)}; or a path such as body.customer.email`)
  const read = await readPredicate(name, wanted)
  if ('issues' in read) throw invalid(read.issues.map(sentence).join('; '))
  const valueOf = readerOf(name)
  return (request) => read.holds(valueOf(request))
}

/** `amount.lt must be a number, got "x"`. */
function sentence({ path, message }: Issue): string {
  const name = fieldPath(path)
  return message.startsWith(`${name} `) ? message : `${name}: ${message}`
}
