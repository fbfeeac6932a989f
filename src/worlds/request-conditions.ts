import { redactText } from '../lib/log/redact.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import type { Issue } from '../lib/text/validation-messages.ts'
import { factNames } from '../scenarios/facts.ts'
import { beginLook, patternsIssue } from '../scenarios/patterns.ts'
import { readPredicate } from '../scenarios/predicates.ts'
import { MOST_CONDITIONS } from '../scenarios/when.ts'
import { unknown } from '../scenarios/words.ts'
import { invalid } from '../service/domain/errors.ts'
import type { JournalEntry } from './request-log.ts'
import {
  answerOf,
  bodyText,
  headersOf,
  pathOf,
  readerOf,
  type ReadRequest,
  withoutSecrets,
} from './request-log.ts'

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

/** Whether a request has a text somewhere, letters of any case; what is not shown of it is not found either. */
export function hasText(wanted: string): (entry: JournalEntry) => boolean {
  const text = wanted.toLowerCase()
  const has = (texts: readonly string[]) => texts.some((each) => each.toLowerCase().includes(text))
  // What is shown takes long to make, and what is not in the request as it came is not in that.
  return (entry) => has(asItCame(entry)) && has(asItIsShown(entry))
}

const asItCame = ({ id, operation, method, url, username, headers, body, sent }: JournalEntry) => [
  id,
  operation,
  method,
  url,
  username,
  ...headers,
  body,
  sent,
]

const asItIsShown = (entry: JournalEntry) => [
  entry.id,
  entry.operation,
  entry.method,
  redactText(pathOf(entry.url)),
  entry.username,
  ...headersOf(entry).flatMap(({ name, value }) => [name, value]),
  entry.body === '' ? '' : bodyText(entry),
  entry.sent === '' ? '' : JSON.stringify(withoutSecrets(answerOf(entry))),
]
