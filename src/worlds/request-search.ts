import { redactText } from '../lib/log/redact.ts'
import type { JournalEntry } from './journal.ts'
import { answerOf } from './request-facts.ts'
import { bodyText, headersOf, pathOf, withoutSecrets } from './request-view.ts'

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
