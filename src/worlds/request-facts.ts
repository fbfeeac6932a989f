import { factsOf as factsOfSent } from '../service/domain/facts.ts'
import type { JournalEntry } from '../storage/engine/journal.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { headerIn } from '../lib/text/header-in.ts'
import { isObject } from '../lib/objects.ts'

type Json = { readonly [name: string]: unknown }

/** What conditions of requests speak of; undefined where a request does not say. */
export interface RequestFacts {
  readonly [fact: string]: unknown
  readonly reference?: unknown
}

/** A request on the record while it is looked at: each of its texts is read when asked for, and once, however many ask. */
export class ReadRequest {
  readonly entry: JournalEntry
  #url: URL | undefined
  #body: { readonly value: unknown } | undefined
  #answer: { readonly value: unknown } | undefined
  #facts: RequestFacts | undefined

  constructor(entry: JournalEntry) {
    this.entry = entry
  }

  get url(): URL {
    return (this.#url ??= new URL(this.entry.url))
  }

  /** The body's JSON; undefined when it has none. */
  get body(): unknown {
    return (this.#body ??= { value: parsedJson(this.entry.body) }).value
  }

  /** The answer's JSON; undefined until there is one. */
  get answer(): unknown {
    return (this.#answer ??= { value: answerOf(this.entry) }).value
  }

  /** Its facts, whichever operation it met; those of scenarios, and what a record has beside them. */
  get facts(): RequestFacts {
    return (this.#facts ??= this.#readFacts())
  }

  #readFacts(): RequestFacts {
    const { entry, url } = this
    const sent = { path: {}, query: Object.fromEntries(url.searchParams), body: asObject(this.body) }
    const { account_id, ...facts } = factsOfSent(entry.operation, nobody, sent)
    return {
      ...facts,
      account_id: Number.isNaN(account_id) ? undefined : account_id,
      id: entry.id,
      operation: entry.operation,
      username: entry.username,
      method: entry.method,
      path: url.pathname,
      status: entry.status,
    }
  }
}

/** The answer's JSON; undefined when there is none. */
export const answerOf = ({ sent }: JournalEntry): unknown => (sent === '' ? undefined : JSON.parse(sent))

/** The facts of a request that nothing else is asked of. */
export const factsOf = (entry: JournalEntry): RequestFacts => new ReadRequest(entry).facts

/** The record does not keep the caller's default Team; a request that named none has no `account_id`. */
const nobody = { username: '', user_id: 0, default_account_id: NaN }

/** What stands at `body.customer.email`, `query.page`, `headers.x-id` or `answer.status`, or a fact by its name. */
export function readerOf(name: string): (request: ReadRequest) => unknown {
  const [place, ...path] = name.split('.')
  const rest = path.join('.')
  if (path.length === 0) return ({ facts }) => facts[name]
  switch (place) {
    case 'body':
      return ({ body }) => at(body, path)
    case 'answer':
      return ({ answer }) => at(answer, path)
    case 'query':
      return ({ url }) => url.searchParams.get(rest) ?? undefined
    case 'headers':
      return ({ entry }) => headerIn(entry.headers, rest)
    default:
      return () => undefined
  }
}

const at = (value: unknown, path: readonly string[]) =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const asObject = (value: unknown): Json => (isObject(value) ? value : {})
