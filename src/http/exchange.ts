import type { Context } from 'hono'
import { timeSlice } from '../lib/clock/clock.ts'
import { hideAddresses, redactText } from '../lib/log/redact.ts'
import { systemUuid } from '../lib/random/random.ts'
import { cutShort } from '../lib/text/field-path.ts'
import type { Caller } from '../service/domain/context.ts'
import { Unauthenticated } from '../service/domain/errors.ts'
import { type ObservedOperation, observedReply } from '../service/vocabulary/observed.ts'
import type { AuditActor } from '../storage/engine/audit.ts'
import type { Moment } from '../storage/store/change.ts'
import type { Principal } from '../worlds/credentials.ts'
import type { World } from '../worlds/world.ts'
import type { Dependencies } from './dependencies.ts'
import { refusalOf } from './errors.ts'
import type { Call, CheckedRequest, Headers, JsonReply, ListOf, Reply, TextReply } from './handler.ts'
import { connectionOf, handOver, headerOf, headersOf, incomingOf, originOf } from './caller.ts'
import { cut, cutsAnswer, spread } from './chaos.ts'
import { beginningOf, BODY_KEPT, type JournalEntry, requestSummary } from '../worlds/request-log.ts'

/**
 * Most responses contain secrets or amounts: caches must not store them, and browsers must not render them as pages.
 */
const SAFE: Headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Programs that show a response as it is. */
const TERMINAL = /^(curl|wget|httpie)\//i

const LONGEST_LOGGED = 1_000

/** A request and its response: holds the caller, builds the response, and logs, records and counts it. */
export class Exchange implements Call {
  readonly c: Context
  /** The time of arrival: the request sees all changes committed before, by any process. */
  readonly arrived: Moment
  /** Absent below `/__admin`, which belongs to no world. */
  world!: World
  /** Absent if the route needs no credentials. */
  caller!: Caller
  request!: CheckedRequest
  /** Absent until the operation has been performed. */
  reply: Reply | undefined
  text = ''
  shown: Call['shown']
  /** The entry in the world's request log; undefined for the sandbox's own API. */
  entry: RecordedRequest | undefined
  /** Resolves when a database has assigned the entry's id; undefined if it already has one. */
  recording: Promise<void> | undefined
  /** The caller in the audit; undefined if the request is not audited. */
  actor: AuditActor | undefined
  /**
   * Headers of the response. For speed a plain literal down to Node.js: a `Headers` costs as much as the rules of a
   * payment, and V8 copies an object made by a spread more slowly.
   */
  readonly headers: { [name: string]: string } = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json',
  }
  /** The operation of the service; empty for the sandbox's own API. */
  operation = ''
  /** Whether the request is performed again, with fields that the sandbox accepts. */
  isAgain = false
  /** The message of an error response. */
  refusal: string | undefined
  readonly #dependencies: Dependencies
  readonly #started: number
  /** The request's id in the audit, the log and `Sandbox-Request-Id`; empty if it is not audited. */
  requestId = ''
  status = 0
  #release: (() => void) | undefined
  #isCounted = false

  constructor(c: Context, dependencies: Dependencies) {
    this.c = c
    this.#dependencies = dependencies
    this.#started = dependencies.wall()
    this.arrived = dependencies.worlds.moment()
  }

  get origin(): string {
    return originOf(this.c)
  }

  /** What was observed of the operation, if anything. */
  get observed(): ObservedOperation | undefined {
    const world = this.world as World | undefined
    return this.operation === '' ? undefined : world?.settings.observed?.operations?.[this.operation]
  }

  get countedAs(): string | undefined {
    return this.#dependencies.countedAs(this.c)
  }

  get left(): AbortSignal {
    return this.c.req.raw.signal
  }

  /** The world whose share of the event loop the request uses; empty below `/__admin`. */
  get worldName(): string {
    return (this.world as World | undefined)?.name ?? ''
  }

  header(name: string): string | undefined {
    return headerOf(this.c, name)
  }

  endConnection(): boolean {
    const { outgoing } = connectionOf(this.c)
    outgoing?.destroy()
    return outgoing !== undefined
  }

  /** Marks the request for the audit, with the name of its caller. */
  auditAs(by: AuditActor): void {
    this.actor = by
    this.requestId = systemUuid()
    if (this.#dependencies.headers) this.headers['Sandbox-Request-Id'] = this.requestId
  }

  identify({ world, caller }: Principal): void {
    this.world = world
    this.caller = caller
    world.underWay += 1
    this.#isCounted = true
  }

  /** Serves a request without credentials in the default world, without adding it to the request log. */
  visit(worlds: Dependencies['worlds']): void {
    this.world = worlds.get(worlds.home)!
  }

  /**
   * Adds the request to the world's request log.
   * @param operation - empty for an unknown path
   */
  record(operation: string): void {
    const entry = new RecordedRequest(this.c, this.world, this.caller.username, operation)
    this.entry = entry
    const id = this.world.journal.nextId(incomingOf(this.c)?.handedOver)
    // For speed: awaiting an available id costs a turn of the event loop, which takes longer than everything else.
    if (typeof id === 'string') return this.#number(entry, id)
    this.recording = id.then(
      (given) => this.#number(entry, given),
      // A database that cannot assign an id cannot store the entry either.
      () => {},
    )
  }

  #number(entry: RecordedRequest, id: string): void {
    entry.id = id
    this.world.journal.add(entry)
    if (this.#dependencies.headers) this.headers['Sandbox-Request-Id'] = id
  }

  /**
   * Counts the body towards the world's budget while the request is running; at the maximum length if it is unknown.
   */
  holdBody(limit: number): void {
    if (this.isAgain) return
    const length = this.header('content-length')
    const bytes = length === undefined ? limit : Math.min(Number(length) || 0, limit)
    this.#release = this.world.budget.begin('bodies', bytes)
  }

  keepBody(text: string): void {
    this.text = text
    if (!this.entry) return
    this.entry.body = beginningOf(text, BODY_KEPT)
    this.entry.body_length = text.length
  }

  performAgain(text: string): void {
    this.text = text
    this.isAgain = true
    this.reply = undefined
  }

  send(made: Reply): Response {
    const reply = this.operation === '' ? made : this.#observed(made)
    if ('cut' in reply) return cut(this.c, reply.cut)
    this.status = reply.status
    if ('list' in reply) {
      const { body, list } = reply
      return this.#stream(jsonOfList(body, list, (value) => JSON.stringify(value, this.shown)))
    }
    if ('body' in reply) return this.#sendJson(reply)
    if ('text' in reply) return this.#sendText(reply)
    if ('pieces' in reply) return this.#stream(reply.pieces)
    return new Response(reply.stream, {
      status: reply.status,
      headers: { ...SAFE, ...reply.headers },
    })
  }

  refuse(error: unknown, headers?: Headers): Response {
    const { log, headers: tells } = this.#dependencies
    const hint = tells && error instanceof Unauthenticated ? error.hint : undefined
    return this.send(refusalOf(error, this.c, log, hint ? { ...headers, 'Sandbox-Hint': hint } : headers))
  }

  /** Leaves the request to another process, if this one refused it because it lost the world meanwhile. */
  handOver(): Promise<void> | undefined {
    const world = this.world as World | undefined
    const handing = world && handOver(this.c, world.journal, this.entry)
    if (handing) this.entry = undefined
    return handing
  }

  /**
   * Completes the request log entry, and counts and logs the response.
   * @param status - of a response that was not sent here
   */
  close(status = this.status): void {
    const { log, wall, metrics, client } = this.#dependencies
    const { entry } = this
    this.#release?.()
    if (this.#isCounted) this.world.underWay -= 1
    this.#isCounted = false
    const ms = wall() - this.#started
    // A connection cut by a fault has no status.
    const fault = entry?.fault
    const seen = fault !== undefined && cutsAnswer(fault) ? 0 : status
    if (entry?.id) {
      entry.status = seen
      entry.duration_ms = ms
      entry.answered = true
      const bytes = this.world.responses.add(entry)
      this.world.events.publish('request', entry.at, entry, requestSummary, bytes)
    }
    metrics?.request(entry?.operation || 'other', seen, ms)
    if (!log.writes('info')) return
    const decision = entry?.decided?.decision
    const { method, path } = this.c.req
    log.info('request', {
      method,
      path,
      status: seen,
      error: this.refusal,
      ms,
      scenario: decision?.scenario,
      decided_by: decision?.scenario && decision.by,
      overridden: decision?.overridden.length ? decision.overridden : undefined,
      fault,
      world: entry && this.world.name,
      username: entry?.username,
      id: entry?.id ?? (this.requestId || undefined),
      admin: this.actor?.kind === 'admin' ? this.actor.name : undefined,
      client: client?.(this.c),
    })
  }

  /** Whether a person reads the response of the control API in a terminal. Responses of the service never change. */
  #isForTerminal(): boolean {
    if (this.entry || !TERMINAL.test(this.header('user-agent') ?? '')) return false
    return /^\/(sandbox|__admin)\//.test(this.c.req.path) && (this.header('accept') ?? '*/*').includes('*/*')
  }

  /** Changes a reply as the service was observed to differ. Without valid credentials, the default world decides. */
  #observed(reply: Reply): Reply {
    const { worlds } = this.#dependencies
    const { observed } = ((this.world as World | undefined) ?? worlds.get(worlds.home))?.settings ?? {}
    if (!observed || !('body' in reply) || 'list' in reply) return reply
    const { headers, request } = this
    const all = { ...headers, ...reply.headers }
    const body = (request as CheckedRequest | undefined)?.body
    const changed = observedReply(
      observed.operations?.[this.operation],
      { ...reply, headers: all },
      body,
      `${this.entry?.at} ${this.entry?.id}`,
    )
    for (const name of Object.keys(headers)) if (!(name in changed.headers)) delete headers[name]
    return changed
  }

  #sendJson({ status, body, headers, spread_over }: JsonReply): Response {
    if (status >= 400) this.refusal = messageIn(body)
    const text = this.#isForTerminal()
      ? `${JSON.stringify(body, this.shown, 2)}\n`
      : JSON.stringify(body, this.shown)
    // Reading the text from the response again would cost a copy.
    if (this.entry) this.entry.sent = text
    const all = headers ? { ...this.headers, ...headers } : this.headers
    if (spread_over !== undefined)
      return new Response(spread(text, spread_over, this.#dependencies.pause), { status, headers: all })
    // For speed: the server would look for the header and set it in several steps.
    if (connectionOf(this.c).outgoing) all['content-length'] = String(Buffer.byteLength(text))
    if (this.entry) this.entry.sent_headers = all
    return new Response(text, { status, headers: all })
  }

  #sendText({ status, text, type = 'text/plain; charset=UTF-8', headers }: TextReply): Response {
    const content = this.shown ? hideAddresses(redactText(text)) : text
    return new Response(content, { status, headers: { ...SAFE, ...headers, 'content-type': type } })
  }

  #stream(pieces: Generator<string>): Response {
    return new Response(streamed(this.worldName, pieces), { status: this.status, headers: this.headers })
  }
}

/** Scenarios may respond with any body. */
function messageIn(body: unknown): string | undefined {
  const { error_message: message } = (body ?? {}) as { readonly error_message?: unknown }
  return typeof message === 'string' ? cutShort(message, LONGEST_LOGGED) : undefined
}

export interface Env {
  Variables: {
    exchange: Exchange
  }
}

const PIECE = 65_536

/**
 * Streams a text that is generated piece by piece, as fast as the client reads it. It is never in memory as a whole,
 * and each step holds the event loop for one time slice.
 * @param world - whose share of the event loop is used
 */
function streamed(world: string, text: Generator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const slice = await timeSlice(world)
      let piece = ''
      let over = false
      do {
        const { value, done } = text.next()
        if (done) over = true
        else piece += value
      } while (!over && piece.length < PIECE && !slice.over)
      if (piece !== '') controller.enqueue(encoder.encode(piece))
      if (over) controller.close()
    },
    cancel: () => void text.return(undefined),
  })
}

/** Yields the JSON of a value and of the list inside it, item by item. */
function* jsonOfList(
  around: unknown,
  { items, view }: ListOf<unknown>,
  textOf: (value: unknown) => string,
): Generator<string> {
  const text = textOf(around)
  const end = text.lastIndexOf('[]') + 1
  yield text.slice(0, end)
  let separator = ''
  for (const item of items) {
    yield separator + textOf(view(item))
    separator = ','
  }
  yield text.slice(end)
}

/** Keeps the response as text: a page of rows as objects would be most of the log's memory. */
export class RecordedRequest implements JournalEntry {
  /** Empty until assigned. */
  id = ''
  readonly at: number
  readonly method: string
  readonly url: string
  readonly operation: string
  readonly username: string
  readonly headers: readonly string[]
  body = ''
  body_length = 0
  status = 0
  answered = false
  sent = ''
  sent_headers: JournalEntry['sent_headers']
  fault: string | undefined
  decided: JournalEntry['decided']
  duration_ms = 0

  constructor(c: Context, world: World, username: string, operation: string) {
    this.at = world.clock.now()
    this.method = c.req.method
    this.url = c.req.url
    this.operation = operation
    this.username = username
    this.headers = headersOf(c)
  }
}
