import type { RecordedRequest } from '../generated/control/schemas.ts'
import { hideCredentials, isSecretName, redact, redactLoose, redactText } from '../lib/log/redact.ts'
import { readTrace, traceIdOf } from '../lib/log/trace-context.ts'
import { isObject } from '../lib/objects.ts'
import { headerIn } from '../lib/text/header-in.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { explain, type Explanation } from '../scenarios/explain.ts'
import { type Library, libraryOfVersion } from '../scenarios/library.ts'
import { factsOf as factsOfSent } from '../service/domain/facts.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { JournalEntry } from '../storage/engine/journal.ts'
import { CheckedScenarioRequest } from './scenario-request.ts'

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

/** A request as it is shown: whole, but for its secrets. */
export function requestView(entry: JournalEntry): RecordedRequest {
  return {
    id: entry.id,
    at: wireTime(entry.at),
    operation: entry.operation || null,
    username: entry.username,
    method: entry.method,
    path: redactText(pathOf(entry.url)),
    headers: headersOf(entry),
    body: entry.body === '' ? null : shownBody(entry.body),
    status: entry.status || null,
    answer: withoutSecrets(answerOf(entry) ?? null),
    duration_ms: entry.duration_ms,
    scenario: scenarioOf(entry),
    ...traceOf(entry),
  }
}

function traceOf({ headers }: JournalEntry) {
  const trace = readTrace(headerIn(headers, 'traceparent'), undefined)
  return trace && { trace_id: traceIdOf(trace) }
}

/** A request in a line, as events tell of it. */
export function requestSummary(entry: JournalEntry) {
  const { id, operation, method, status, duration_ms } = entry
  const { reference } = factsOf(entry)
  const path = redactText(pathOf(entry.url))
  const scenario = scenarioOf(entry)
  return {
    id,
    operation: operation || null,
    method,
    path,
    status,
    duration_ms,
    reference: reference ?? null,
    scenario,
  }
}

const scenarioOf = ({ decided }: JournalEntry) => decided?.decision.scenario ?? null

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Names in lower case, without secrets. */
export function headersOf({ headers }: JournalEntry): { name: string; value: string }[] {
  const list = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase()
    const value = headers[i + 1]!
    list.push({ name, value: isSecretName(name) ? hideCredentials(value) : redactText(value) })
  }
  return list
}

function shownBody(text: string): unknown {
  try {
    return withoutSecrets(JSON.parse(text))
  } catch {
    return redactLoose(text)
  }
}

/** A request as it is taken elsewhere: whole, but for its secrets. */
export const withoutSecretsIn = (entry: JournalEntry): JournalEntry => ({
  ...(withoutSecrets(entry) as JournalEntry),
  headers: headersOf(entry).flatMap(({ name, value }) => [name, value]),
  body: bodyText(entry),
  sent: bodyText({ ...entry, body: entry.sent }),
})

/** As it was sent when it has no secrets, so that a copy of it is the same request. */
export function bodyText({ body }: JournalEntry): string {
  try {
    const value: unknown = JSON.parse(body)
    const clean = JSON.stringify(withoutSecrets(value))
    return clean === JSON.stringify(value) ? body : clean
  } catch {
    return redactLoose(body)
  }
}

export const withoutSecrets = (value: unknown): unknown => JSON.parse(JSON.stringify(value, redact) ?? 'null')

const LEFT_OUT =
  /^(authorization|host|content-length|connection|accept-encoding|transfer-encoding|user-agent)$/

/** A command for a POSIX shell that makes the request again; credentials come from the environment. */
export function curlOf(entry: JournalEntry): string {
  const parts = ['curl']
  if (entry.method !== 'GET') parts.push(`-X ${entry.method}`)
  parts.push(quoted(redactText(entry.url)), '-u "$API_USERNAME:$API_PASSWORD"')
  for (const { name, value } of headersOf(entry))
    if (!LEFT_OUT.test(name) && !value.includes('[redacted]')) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (entry.body !== '') parts.push(`--data-raw ${quoted(bodyText(entry))}`)
  return parts.join(' ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** An HTTP archive (HAR 1.2) without entries. */
export const emptyHar = (version: string) => ({
  log: { version: '1.2', creator: { name: 'payments-sandbox', version }, entries: [] },
})

/** An answered request in an HTTP archive. */
export function harEntry(entry: JournalEntry) {
  const url = redactText(entry.url)
  const body = bodyText(entry)
  const answer = entry.sent === '' ? '' : JSON.stringify(withoutSecrets(answerOf(entry)))
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  return {
    startedDateTime: exactTime(entry.at),
    time: entry.duration_ms,
    request: {
      ...common,
      method: entry.method,
      url,
      headers: headersOf(entry),
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      ...(body !== '' && { postData: { mimeType: 'application/json', text: body } }),
      bodySize: Buffer.byteLength(body),
    },
    response: {
      ...common,
      status: entry.status,
      statusText: '',
      headers: [{ name: 'sandbox-request-id', value: entry.id }],
      content: { size: Buffer.byteLength(answer), mimeType: 'application/json', text: answer },
      redirectURL: '',
      bodySize: Buffer.byteLength(answer),
    },
    cache: {},
    timings: { send: 0, wait: entry.duration_ms, receive: 0 },
  }
}

/**
 * Why a request on the record was decided as it was, worked out again of what is kept of it; undefined when it was refused
 * before anything was decided.
 * @param library the scenarios there are now, for a request whose own are no longer known
 */
export function explanationOf(
  { operation, headers, decided }: JournalEntry,
  library: Library,
): Explanation | undefined {
  if (!decided) return undefined
  const { scenarios, state, caller, sent, home } = decided
  const request = new CheckedScenarioRequest(operation, caller, sent, headers)
  request.home = home
  return explain({ library: libraryOfVersion(scenarios) ?? library, state, request })
}
