import type { RecordedRequest } from '../generated/control/types.ts'
import { Listeners, type OnError } from '../lib/listeners.ts'
import { hideCredentials, isSecretName, redact, redactLoose, redactText } from '../lib/log/redact.ts'
import { readTrace, traceIdOf, headerIn } from '../lib/text/headers.ts'
import { isObject } from '../lib/objects.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { explain, type Explanation } from '../scenarios/explain.ts'
import { type Library, libraryOfVersion, noState } from '../scenarios/library.ts'
import { PreferenceError, readPreferred } from '../scenarios/prefer.ts'
import type { ScenarioRequest } from '../scenarios/scenario.ts'
import type { Caller } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import {
  type BehindKyc,
  type Facts,
  factsOf as factsOfSent,
  scenarioOperation,
  type SentParts,
} from '../service/domain/facts.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { JournalEntry, JournalRecord } from '../storage/engine/journal.ts'
import { changingBytes, textBytes } from '../storage/store/tables.ts'

export type { JournalEntry } from '../storage/engine/journal.ts'

/** Maximum number of characters kept of a body. */
export const BODY_KEPT = 65_536

/** Bytes of an entry without its texts. */
const ENTRY_BYTES = 900
/** Bytes of the parsed fields per character of a body. They explain the decision about the request later. */
const PARSED_BYTES = 4
/** Bytes of compiled scenario files per byte of their text. */
const COMPILED_BYTES = 4

/** The memory that an answered entry takes, in bytes. */
export function entryBytes(entry: JournalEntry): number {
  let bytes = ENTRY_BYTES + textBytes(entry.url) + textBytes(entry.body) + textBytes(entry.sent)
  for (const text of entry.headers) bytes += textBytes(text)
  return entry.decided ? bytes + PARSED_BYTES * entry.body_length : bytes
}

/** Adds the responses to the request log of a world, and notifies listeners in this process. */
export class Responses {
  readonly #log: JournalRecord
  readonly #listeners: Listeners<[request: ReadRequest]>
  /** Ends the subscription to the log, which lasts while there are listeners. */
  #stop: (() => void) | undefined
  /** The scenario files that applied to the previous request. */
  #files: object = noState.files

  constructor(log: JournalRecord, onError: OnError) {
    this.#log = log
    this.#listeners = new Listeners((error, { entry }) =>
      onError(error, { of: 'response', request: entry.id }),
    )
  }

  /** @returns the memory that the entry takes, in bytes */
  add(entry: JournalEntry): number {
    const bytes = entryBytes(entry) + this.#bytesOfFiles(entry)
    this.#log.answered(entry, bytes)
    return bytes
  }

  /** Calls `listener` for each response from now on. All listeners share one `ReadRequest`. Returns a function that unsubscribes. */
  listen(listener: (request: ReadRequest) => void): () => void {
    this.#stop ??= this.#log.onAnswered((entry) => this.#listeners.tell(new ReadRequest(entry)))
    const remove = this.#listeners.add(listener)
    return () => {
      remove()
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  /** Counts the world's own scenario files once per change: entries share the files that applied to them. */
  #bytesOfFiles({ decided }: JournalEntry): number {
    const files = decided?.state.files
    if (files === undefined || files === this.#files) return 0
    this.#files = files
    return COMPILED_BYTES * changingBytes(files)
  }
}

/**
 * Returns the first characters of a text as a copy: a slice would keep the whole original in memory. Half of a surrogate pair
 * at the end becomes U+FFFD.
 */
export const beginningOf = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()

/** A validated request as scenarios see it. It can be rebuilt from a log entry. Facts are computed when first used. */
export class CheckedScenarioRequest implements ScenarioRequest {
  readonly operation: string
  readonly preferred: ScenarioRequest['preferred']
  readonly #caller: Caller
  readonly #sent: SentParts
  readonly #headers: readonly string[]
  /** Set it before reading any fact. */
  behind: BehindKyc | undefined
  #known: Facts | undefined

  /**
   * @param headers - Names and values in turn.
   * @throws ServiceError 400 if a preference has an invalid value
   */
  constructor(operation: string, caller: Caller, sent: SentParts, headers: readonly string[]) {
    this.operation = scenarioOperation(operation)
    this.#caller = caller
    this.#sent = sent
    this.#headers = headers
    this.preferred = this.#readPreferred()
  }

  direction() {
    return this.#facts.direction
  }

  value(field: string): unknown {
    // For speed: nearly all conditions are on facts.
    if (!field.includes('.')) return this.#facts[field as keyof Facts]
    const [part, ...path] = field.split('.')
    if (part === 'headers') return headerIn(this.#headers, path.join('.'))
    return valueAt(this.#sent[part as keyof SentParts], path)
  }

  get #facts(): Facts {
    return (this.#known ??= factsOfSent(this.operation, this.#caller, this.#sent, this.behind))
  }

  #readPreferred(): ScenarioRequest['preferred'] {
    const prefer = headerIn(this.#headers, 'prefer')
    const alias = headerIn(this.#headers, 'x-sandbox-scenario')
    if (prefer === undefined && alias === undefined) return undefined
    try {
      return readPreferred(this.operation, this.direction(), prefer, alias)
    } catch (error) {
      if (error instanceof PreferenceError) throw invalid(error.message)
      throw error
    }
  }
}

/** Facts for conditions on requests; undefined if a request does not contain the fact. */
interface RequestFacts {
  readonly [fact: string]: unknown
  readonly reference?: unknown
}

/** Parses the texts of a logged request when they are first used, and once for all readers. */
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

  get body(): unknown {
    return (this.#body ??= { value: parsedJson(this.entry.body) }).value
  }

  get response(): unknown {
    return (this.#answer ??= { value: answerOf(this.entry) }).value
  }

  /** The facts of scenarios and of the log entry. */
  get facts(): RequestFacts {
    return (this.#facts ??= this.#readFacts())
  }

  #readFacts(): RequestFacts {
    const { entry, url } = this
    const sent = {
      path: {},
      query: Object.fromEntries(url.searchParams),
      body: isObject(this.body) ? this.body : {},
    }
    const { account_id, ...facts } = factsOfSent(entry.operation, ANONYMOUS, sent)
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

/** Returns the JSON of the response, or undefined without one. */
export const answerOf = ({ sent }: JournalEntry): unknown => (sent === '' ? undefined : JSON.parse(sent))

/** The log does not contain the caller's default Team, so a request that named no Team has no `account_id`. */
const ANONYMOUS = { username: '', user_id: 0, default_account_id: NaN }

/** Returns a function that reads a path such as `body.customer.email`, `query.page`, `headers.x-id` or `response.status`, or a fact. */
export function readerOf(name: string): (request: ReadRequest) => unknown {
  const [place, ...path] = name.split('.')
  const rest = path.join('.')
  if (path.length === 0) return ({ facts }) => facts[name]
  switch (place) {
    case 'body':
      return ({ body }) => valueAt(body, path)
    case 'response':
      return ({ response: answer }) => valueAt(answer, path)
    case 'query':
      return ({ url }) => url.searchParams.get(rest) ?? undefined
    case 'headers':
      return ({ entry }) => headerIn(entry.headers, rest)
    default:
      return () => undefined
  }
}

const valueAt = (value: unknown, path: readonly string[]) =>
  path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  )

/** Returns a request as the API shows it, without secrets. */
export function requestView(entry: JournalEntry): RecordedRequest {
  return {
    id: entry.id,
    at: exactTime(entry.at),
    operation: entry.operation || null,
    username: entry.username,
    method: entry.method,
    path: redactText(pathOf(entry.url)),
    headers: headersOf(entry),
    body: entry.body === '' ? null : withoutSecretsInText(entry.body),
    status: entry.status || null,
    response: withoutSecrets(answerOf(entry) ?? null),
    duration_ms: entry.duration_ms,
    scenario: scenarioOf(entry),
    ...traceOf(entry),
  }
}

function traceOf({ headers }: JournalEntry) {
  const trace = readTrace(headerIn(headers, 'traceparent'), undefined)
  return trace && { trace_id: traceIdOf(trace) }
}

/** The data of the event `request`. */
export function requestSummary(entry: JournalEntry) {
  const { id, operation, method, status, duration_ms } = entry
  return {
    id,
    operation: operation || null,
    method,
    path: redactText(pathOf(entry.url)),
    status,
    duration_ms,
    reference: new ReadRequest(entry).facts.reference ?? null,
    scenario: scenarioOf(entry),
  }
}

const scenarioOf = ({ decided }: JournalEntry) => decided?.decision.scenario ?? null

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Returns headers with lower-case names and without secrets. */
export function headersOf({ headers }: Pick<JournalEntry, 'headers'>): { name: string; value: string }[] {
  const list = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase()
    const value = headers[i + 1]!
    list.push({ name, value: isSecretName(name) ? hideCredentials(value) : redactText(value) })
  }
  return list
}

function withoutSecretsInText(text: string): unknown {
  try {
    return withoutSecrets(JSON.parse(text))
  } catch {
    return redactLoose(text)
  }
}

/** Returns an entry without secrets, for export. */
export const withoutSecretsIn = (entry: JournalEntry): JournalEntry => ({
  ...(withoutSecrets(entry) as JournalEntry),
  headers: headersOf(entry).flatMap(({ name, value }) => [name, value]),
  body: bodyText(entry),
  sent: bodyText({ ...entry, body: entry.sent }),
})

/** Returns the body without secrets; unchanged without secrets, so that a copy is the same request. */
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

const OMITTED_IN_CURL =
  /^(authorization|host|content-length|connection|accept-encoding|transfer-encoding|user-agent)$/

/** Returns a curl command that repeats the request. Credentials come from environment variables. */
export function curlOf(entry: JournalEntry): string {
  const parts = ['curl']
  if (entry.method !== 'GET') parts.push(`-X ${entry.method}`)
  parts.push(quoted(redactText(entry.url)), '-u "$API_USERNAME:$API_PASSWORD"')
  for (const { name, value } of headersOf(entry))
    if (!OMITTED_IN_CURL.test(name) && !value.includes('[redacted]'))
      parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (entry.body !== '') parts.push(`--data-raw ${quoted(bodyText(entry))}`)
  return parts.join(' ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Returns an HTTP archive (HAR 1.2) without entries. */
export const emptyHar = (version: string) => ({
  log: { version: '1.2', creator: { name: 'payments-sandbox', version }, entries: [] },
})

export function harEntry(entry: JournalEntry) {
  const url = redactText(entry.url)
  const body = bodyText(entry)
  const { sent_headers = { 'sandbox-request-id': entry.id } } = entry
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
      headers: headersOf({ headers: Object.entries(sent_headers).flat() }),
      content: {
        size: Buffer.byteLength(answer),
        mimeType: sent_headers['content-type'] ?? 'application/json',
        text: answer,
      },
      redirectURL: '',
      bodySize: Buffer.byteLength(answer),
    },
    cache: {},
    timings: { send: 0, wait: entry.duration_ms, receive: 0 },
  }
}

/**
 * Explains again how scenarios decided about a logged request; undefined if it was rejected before that.
 * @param library - The current scenarios, for a request whose scenarios are no longer known.
 */
export function explanationOf(
  { operation, headers, decided }: JournalEntry,
  library: Library,
): Explanation | undefined {
  if (!decided) return undefined
  const { scenarios, state, caller, sent, behind } = decided
  const request = new CheckedScenarioRequest(operation, caller, sent, headers)
  request.behind = behind
  return explain({ library: libraryOfVersion(scenarios) ?? library, state, request })
}
