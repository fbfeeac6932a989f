import { invalid } from '../service/domain/errors.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import type { Issue } from '../lib/text/validation-messages.ts'
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

/** A condition that a request does not meet. */
export interface Unmet {
  readonly field: string
  readonly expected: unknown
  readonly got: unknown
}

/** Conditions that were read. */
export interface ReadConditions {
  readonly test: RequestTest
  /** Those that a request does not meet; none: it is meant. */
  unmet(request: ReadRequest): readonly Unmet[]
}

/**
 * Reads conditions, all of which a request must meet.
 * @throws ServiceError 400 naming an unknown fact or predicate and the nearest right word
 */
export async function readConditions(conditions: Conditions): Promise<ReadConditions> {
  const wanted = Object.entries(conditions)
  if (wanted.length > MOST_CONDITIONS)
    throw invalid(`conditions must be at most ${MOST_CONDITIONS}, got ${wanted.length}; leave some out`)
  const issue = patternsIssue(conditions)
  if (issue) throw invalid(`the request body ${issue}`)
  const all: Condition[] = []
  for (const [name, predicate] of wanted) all.push(await conditionOn(name, predicate))
  return {
    test(request) {
      beginLook()
      return all.every(({ test }) => test(request))
    },
    unmet(request) {
      beginLook()
      const failed = all.filter(({ test }) => !test(request))
      return failed.map(({ field, expected, valueOf }) => ({ field, expected, got: valueOf(request) }))
    },
  }
}

/** @throws ServiceError 400 as `readConditions` */
export const requestConditions = async (conditions: Conditions): Promise<RequestTest> =>
  (await readConditions(conditions)).test

interface Condition {
  readonly field: string
  readonly expected: unknown
  readonly test: RequestTest
  valueOf(request: ReadRequest): unknown
}

async function conditionOn(field: string, expected: unknown): Promise<Condition> {
  if (!facts.includes(field) && !places.test(field))
    throw invalid(`fact ${unknown(field, 'known', facts)}; or a path such as body.customer.email`)
  const read = await readPredicate(field, expected)
  if ('issues' in read) throw invalid(read.issues.map(sentence).join('; '))
  const valueOf = readerOf(field)
  return { field, expected, valueOf, test: (request) => read.holds(valueOf(request)) }
}

/** `amount.lt must be a number, got "x"`. */
function sentence({ path, message }: Issue): string {
  const name = fieldPath(path)
  return message.startsWith(`${name} `) ? message : `${name}: ${message}`
}
