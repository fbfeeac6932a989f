import { redactText } from '../lib/log/redact.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import type { Issue } from '../lib/text/validation-messages.ts'
import { factNames } from '../scenarios/when/facts.ts'
import { beginLook, patternsIssue } from '../scenarios/when/patterns.ts'
import { readPredicate } from '../scenarios/when/predicates.ts'
import { MOST_CONDITIONS } from '../scenarios/when/when.ts'
import { unknown } from '../lib/text/word-schemas.ts'
import { invalid } from '../service/domain/errors.ts'
import {
  answerOf,
  bodyText,
  headersOf,
  type JournalEntry,
  pathOf,
  readerOf,
  type ReadRequest,
  withoutSecrets,
} from './request-log.ts'

/** The facts of `when` in scenario files, and of logged requests. */
const facts = ['operation', ...factNames, 'id', 'username', 'method', 'path', 'status']
const places = /^(body|query|headers|response)\../

type Conditions = { readonly [name: string]: unknown }

export type RequestTest = (request: ReadRequest) => boolean

export interface Unmet {
  readonly field: string
  readonly expected: unknown
  readonly got: unknown
}

/**
 * Parses conditions, all of which a request must meet.
 * @throws ServiceError 400 naming an unknown fact or predicate, with a suggestion
 */
export async function readConditions(conditions: Conditions) {
  const wanted = Object.entries(conditions)
  if (wanted.length > MOST_CONDITIONS)
    throw invalid(`conditions must be at most ${MOST_CONDITIONS}, got ${wanted.length}; leave some out`)
  const issue = patternsIssue(conditions)
  if (issue) throw invalid(`the request body ${issue}`)
  const all: Condition[] = []
  for (const [name, predicate] of wanted) all.push(await conditionOn(name, predicate))
  return {
    test(request: ReadRequest) {
      beginLook()
      return all.every(({ test }) => test(request))
    },
    /** Returns the conditions that a request does not meet. */
    unmet(request: ReadRequest): readonly Unmet[] {
      beginLook()
      const failed = all.filter(({ test }) => !test(request))
      return failed.map(({ field, expected, valueOf }) => ({ field, expected, got: valueOf(request) }))
    },
  }
}

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

/** Returns a case-insensitive full-text search in requests. It does not find hidden secrets. */
export function hasText(wanted: string): (entry: JournalEntry) => boolean {
  const text = wanted.toLowerCase()
  const has = (texts: readonly string[]) => texts.some((each) => each.toLowerCase().includes(text))
  // The raw request first, because redacting takes long and adds no text.
  return (entry) => has(rawTexts(entry)) && has(shownTexts(entry))
}

const rawTexts = ({ id, operation, method, url, username, headers, body, sent }: JournalEntry) => [
  id,
  operation,
  method,
  url,
  username,
  ...headers,
  body,
  sent,
]

const shownTexts = (entry: JournalEntry) => [
  entry.id,
  entry.operation,
  entry.method,
  redactText(pathOf(entry.url)),
  entry.username,
  ...headersOf(entry).flatMap(({ name, value }) => [name, value]),
  entry.body === '' ? '' : bodyText(entry),
  entry.sent === '' ? '' : JSON.stringify(withoutSecrets(answerOf(entry))),
]
