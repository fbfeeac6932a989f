import { factsOf as factsOfSent } from '../domain/facts.ts'
import type { JournalEntry } from './journal.ts'

type Json = { readonly [name: string]: unknown }

/** What conditions of requests speak of; undefined where a request does not say. */
export interface RequestFacts {
  readonly [fact: string]: unknown
  readonly reference?: unknown
}

/** The facts of a request, whichever operation it met; those of scenarios, and what a record has beside them. */
export function factsOf(entry: JournalEntry): RequestFacts {
  const { searchParams, pathname } = new URL(entry.url)
  const sent = { path: {}, query: Object.fromEntries(searchParams), body: asObject(parsed(entry.body)) }
  const { account_id, ...facts } = factsOfSent(entry.operation, nobody, sent)
  return {
    ...facts,
    account_id: Number.isNaN(account_id) ? undefined : account_id,
    id: entry.id,
    operation: entry.operation,
    username: entry.username,
    method: entry.method,
    path: pathname,
    status: entry.status,
  }
}

/** The record does not keep the caller's default Team; a request that named none has no `account_id`. */
const nobody = { username: '', user_id: 0, default_account_id: NaN }

/** What stands at `body.customer.email`, `query.page`, `headers.x-id` or `answer.status`, or a fact by its name. */
export function valueAt(entry: JournalEntry, facts: RequestFacts, name: string): unknown {
  const [place, ...path] = name.split('.')
  if (path.length === 0) return facts[name]
  switch (place) {
    case 'body':
      return at(parsed(entry.body), path)
    case 'answer':
      return at(entry.answer, path)
    case 'query':
      return new URL(entry.url).searchParams.get(path.join('.')) ?? undefined
    case 'headers':
      return header(entry.headers, path.join('.'))
    default:
      return undefined
  }
}

function header(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]!.toLowerCase() === name.toLowerCase()) return headers[i + 1]
  return undefined
}

const at = (value: unknown, path: readonly string[]) =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Json => (isObject(value) ? value : {})
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
