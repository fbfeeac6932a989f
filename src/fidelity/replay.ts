/** Replays a recording in two fresh worlds and compares every message. */
import type { OutgoingCallback } from '../callbacks/send.ts'
import { RETRY_PROFILES } from '../callbacks/retry.ts'
import { readConfig } from '../config/config.ts'
import { isRecord } from '../lib/objects.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { endingOf } from '../service/domain/countries/countries.ts'
import { reasons, wordings } from '../service/vocabulary/reasons.ts'
import { type Description, readDescription } from './described.ts'
import { Comparison, type Difference, leavesOf, type Message } from './differences.ts'
import { type HarEntry, jsonIn, type Recording } from './har.ts'
import { headersOf, medianOf, isId, messageOf, queryOf, referenceIn, replyOf, resultIn } from './messages.ts'
import { priorStateOf } from './prior-state.ts'
import { createTwin, type Twin } from './twin.ts'

/** A compared exchange, as learning reads it. */
export interface Exchange {
  readonly operation: string
  readonly request: { readonly body: unknown; readonly query: Readonly<Record<string, string>> }
  readonly ours: Message
  readonly theirs: Message
}

export interface Replayed {
  readonly differences: readonly Difference[]
  /** Observations by operation, place and field. */
  readonly seen: ReadonlyMap<string, number>
  readonly exchanges: ReadonlyMap<number, Exchange>
  /** Milliseconds from acceptance to the first callback, by operation. */
  readonly delays: ReadonlyMap<string, readonly number[]>
  /** Milliseconds between attempts. */
  readonly retries: readonly (readonly number[])[]
  readonly counts: { readonly requests: number; readonly callbacks: number; readonly skipped: number }
  readonly notes: readonly string[]
  readonly description: Description
}

/** The second twin begins at another time, so that dates differ. */
const SHIFT = 37 * 86_400_000 + 18_787_000
const SECOND_IDS = 500_000

type Env = Readonly<Record<string, string | undefined>>

/** A callback of a twin. */
interface Sent extends OutgoingCallback {
  copies: number
}

interface Payment {
  readonly operation: string
  readonly references: readonly [string, string]
  readonly direction: 'payin' | 'payout'
  readonly acceptedAt: number
  readonly hasUrl: boolean
  /** Whether a test number or a preference decides its outcome. */
  readonly isScripted: boolean
  /** Callbacks of each twin. */
  readonly ours: readonly [Sent[], Sent[]]
  status: string
  /** Bodies of callbacks, with the times of their attempts. */
  readonly theirs: {
    readonly text: string
    readonly times: number[]
    readonly entry: number
    copies: number
  }[]
}

export async function replay(recording: Recording, env: Env): Promise<Replayed> {
  const description = await readDescription()
  const { seed, authorization } = priorStateOf(recording.entries, description)
  const start = Date.parse(recording.entries[0]?.startedDateTime ?? '2026-01-01T00:00:00Z')
  const shape = recording.entries.some((entry) => isNested(entry)) ? 'nested' : 'flat'
  const settings = { SANDBOX_CALLBACK_SHAPE: shape, ...env }
  const twins = [
    await createTwin({ seed, random: 'first twin', start, ids: 0, env: settings }),
    await createTwin({ seed, random: 'second twin', start: start + SHIFT, ids: SECOND_IDS, env: settings }),
  ] as const
  try {
    const run = new Replay(twins, description, authorization, start)
    for (const [n, entry] of recording.entries.entries()) await run.entry(n, entry)
    return { ...run.end(env), notes: [...recording.notes, ...run.notes], description }
  } finally {
    await Promise.all(twins.map((twin) => twin.close()))
  }
}

const isNested = ({ _callback, request }: HarEntry) => {
  const body = jsonIn(request.postData?.text)
  return _callback !== undefined && isRecord(body) && isRecord(body['response'])
}

const PAYING = ['createCollection', 'createWithdrawal', 'createGlobalPayment', 'topUpServiceWallet']

class Replay {
  readonly notes: string[] = []
  readonly #twins: readonly [Twin, Twin]
  readonly #description: Description
  readonly #authorization: (entry: HarEntry) => string | undefined
  readonly #comparison = new Comparison()
  readonly #exchanges = new Map<number, Exchange>()
  readonly #payments: Payment[] = []
  /** By the identifiers of the service. */
  readonly #byId = new Map<string, Payment>()
  /** By the identifiers of the first twin. */
  readonly #byOurId = new Map<string, Payment>()
  /** Identifiers of what the service accepted and the sandbox did not. */
  readonly #lost = new Map<string, number>()
  readonly #read = [0, 0]
  readonly #reasonOfText = new Map<string, string>()
  #counts = { requests: 0, callbacks: 0, skipped: 0 }
  #now: number

  constructor(
    twins: readonly [Twin, Twin],
    description: Description,
    authorization: (entry: HarEntry) => string | undefined,
    start: number,
  ) {
    this.#twins = twins
    this.#description = description
    this.#authorization = authorization
    this.#now = start
  }

  async entry(n: number, entry: HarEntry): Promise<void> {
    this.#now = Math.max(this.#now, Date.parse(entry.startedDateTime))
    const { request, response, _callback } = entry
    const url = new URL(request.url)
    const found = this.#description.find(request.method, url.pathname)
    if (_callback || (!found && this.#paymentIn(jsonIn(request.postData?.text))))
      return this.#callback(n, entry)
    if (!found) return this.#skip(`${request.method} ${url.pathname} is no operation of the service`)
    if (response.status === 0) return this.#skip(`entry ${n} has no response`)
    await this.#advance()
    await this.#request(n, entry, found.operation, found.path + url.search)
  }

  #skip(note: string): void {
    this.#counts.skipped += 1
    if (this.notes.length < 20 && !this.notes.includes(note)) this.notes.push(note)
  }

  async #advance(): Promise<void> {
    await Promise.all(this.#twins.map((twin, n) => twin.advance(this.#now + n * SHIFT)))
    this.#collect()
  }

  async #request(n: number, entry: HarEntry, operation: string, path: string): Promise<void> {
    const { request, response } = entry
    const { ids } = this.#comparison
    const text = request.postData?.text
    const body = jsonIn(text)
    const lost = [...leavesOf(body), ['', path]]
      .map(([, value]) => this.#lost.get(String(value).replace(/^.*\//, '')))
      .find((each) => each !== undefined)
    if (lost !== undefined)
      return this.#skip(`entry ${n} follows from entry ${lost}, which the sandbox rejects`)
    const theirs = messageOf(response.status, response.headers, response.content.text)
    if (operation === 'getTransactionStatus') await this.#settleLike(this.#paymentIn(body), theirs.body)
    this.#counts.requests += 1
    const authorization = this.#authorization(entry)
    const headers = Object.fromEntries(
      request.headers
        .filter(({ name }) =>
          /^(content-type|prefer|accept-language|idempotency-key|x-(?!forwarded|real).*)$/i.test(name),
        )
        .map(({ name, value }) => [name, value]),
    )
    if (text !== undefined) headers['content-type'] ??= request.postData?.mimeType || 'application/json'
    const replies = await Promise.all(
      this.#twins.map((twin, index) => {
        const side = index as 0 | 1
        const sent = body === undefined ? text : JSON.stringify(ids.inJson(body, side))
        const to = path
          .split(/(?=[/?&=])/)
          .map((part) => part[0] + ids.inText(part.slice(1), side))
          .join('')
        return twin.send(request.method, to, { ...headers, ...(authorization && { authorization }) }, sent)
      }),
    )
    const [a, b] = replies.map(replyOf) as [Message, Message]
    const at = { operation, place: String(a.status), entry: n }
    const exchange = { operation, request: { body, query: queryOf(path) }, ours: a, theirs }
    this.#exchanges.set(n, exchange)
    this.#comparison.note(at, '')
    const isOk = (status = 0) => status < 400
    if (a.status !== theirs.status) this.#comparison.add(at, 'status', '', a, theirs)
    if (isOk(a.status) === isOk(theirs.status)) this.#comparison.messages(at, [a, b], theirs)
    else if (isOk(theirs.status))
      for (const [, value] of leavesOf(theirs.body)) if (isId(value)) this.#lost.set(String(value), n)
    if (PAYING.includes(operation) && isOk(a.status) && isOk(theirs.status))
      this.#accepted(entry, exchange, b)
  }

  /** Notes an accepted payment with all its identifiers. */
  #accepted(entry: HarEntry, { operation, request, ours, theirs }: Exchange, second: Message): void {
    const [a, b] = [ours, second].map(({ body }) => referenceIn(body))
    if (a === undefined || b === undefined) return
    const sent = new Map(
      [...leavesOf(request.body)].map(([path, value]) => [path.replace(/.*\./, ''), value]),
    )
    const party = String(sent.get('phone_number') ?? sent.get('account_number') ?? '').replace(/^\+?0?/, '')
    const prefers = entry.request.headers.some(({ name }) => /^(prefer|x-sandbox-scenario)$/i.test(name))
    const payment: Payment = {
      operation,
      references: [a, b],
      direction:
        operation === 'createWithdrawal' || sent.get('request_type') === 'withdrawal' ? 'payout' : 'payin',
      acceptedAt: Date.parse(entry.startedDateTime) + entry.time,
      hasUrl: sent.has('callback_url'),
      isScripted: prefers || endingOf(party) !== undefined || endingOf(`254${party}`) !== undefined,
      ours: [[], []],
      status: 'queued',
      theirs: [],
    }
    this.#payments.push(payment)
    // An identifier that is determined, such as the shop's reference, may occur several times.
    for (const [, value] of leavesOf(theirs.body))
      if (isId(value) && !this.#byId.has(String(value))) this.#byId.set(String(value), payment)
    for (const message of [ours, second])
      for (const [, value] of leavesOf(message.body))
        if (isId(value) && !this.#byOurId.has(String(value))) this.#byOurId.set(String(value), payment)
  }

  #paymentIn(body: unknown): Payment | undefined {
    const ids = [...leavesOf(body)].map(([, value]) => String(value))
    return ids.map((id) => this.#byId.get(id)).find((each) => each !== undefined)
  }

  async #callback(n: number, { request, response }: HarEntry): Promise<void> {
    const text = request.postData?.text ?? ''
    const body = jsonIn(text)
    const payment = this.#paymentIn(body)
    if (!payment) return this.#skip(`the callback of entry ${n} belongs to no payment of the recording`)
    this.#counts.callbacks += 1
    const at = { operation: payment.operation, place: 'callback', entry: n }
    const delivered = response.status >= 200 && response.status < 300
    const before = payment.theirs.find((each) => each.text === text)
    if (before) {
      if (before.copies === 0) before.times.push(this.#now)
      if (delivered || before.copies > 0) before.copies += 1
      return
    }
    payment.theirs.push({ text, times: [this.#now], entry: n, copies: delivered ? 1 : 0 })
    await this.#advance()
    await this.#settleLike(payment, body)
    await this.#advance()
    const [a, b] = payment.ours.map((list) => list[payment.theirs.length - 1])
    this.#comparison.note(at, '')
    if (!a || !b)
      return this.#comparison.add(at, 'count', 'callbacks', payment.ours[0].length, payment.theirs.length)
    const theirs = messageOf(undefined, request.headers, text)
    const messageIn = ({ headers, body: sent }: OutgoingCallback): Message => ({
      headers: headersOf(Object.entries(headers)),
      body: jsonIn(sent),
    })
    const [x, y] = [messageIn(a), messageIn(b)]
    this.#exchanges.set(n, {
      operation: payment.operation,
      request: { body: undefined, query: {} },
      ours: x,
      theirs,
    })
    this.#comparison.messages(at, [x, y], theirs)
  }

  /** Ends a payment as the recording shows. */
  async #settleLike(payment: Payment | undefined, body: unknown): Promise<void> {
    const result = payment && resultIn(body)
    if (!payment || !result || result.status === payment.status || result.status === 'queued') return
    payment.status = result.status
    const reason = result.status === 'failed' ? this.#reasonFor(result) : undefined
    const outcome = { outcome: result.status }
    for (const [n, twin] of this.#twins.entries()) {
      const reference = payment.references[n]!
      if (reason !== undefined && (await twin.simulate(reference, { ...outcome, reason }))) continue
      // A reason may not fit the rail; a test number may have ended the payment already.
      await twin.simulate(reference, outcome)
    }
  }

  /** Returns the reason with the recorded text or code; each unknown text stands for another reason. */
  #reasonFor({ text, code }: { text: string; code: number | undefined }): string | undefined {
    const known = this.#reasonOfText.get(text)
    if (known !== undefined) return known
    const all = Object.entries(reasons)
    const byText = all.find(([, each]) => each.text.toLowerCase() === text.toLowerCase())?.[0]
    const byWording = Object.values(wordings)
      .flatMap((each) => Object.entries(each))
      .find(([, each]) => each === text)?.[0]
    const byCode = all.find(([, each]) => each.code === code)?.[0]
    const words = (value: string) => new Set(value.toLowerCase().match(/[a-z]{3,}/g))
    const wanted = words(text)
    const taken = new Set(this.#reasonOfText.values())
    const near = all
      .filter(([name]) => !taken.has(name))
      .map(([name, each]) => ({
        name,
        shared: [...words(`${each.text} ${name.replaceAll('_', ' ')}`)].filter((word) => wanted.has(word))
          .length,
      }))
      .toSorted((x, y) => y.shared - x.shared)[0]
    const found = byText ?? byWording ?? byCode ?? ((near?.shared ?? 0) > 0 ? near!.name : undefined)
    if (found !== undefined) this.#reasonOfText.set(text, found)
    return found
  }

  /** Assigns new callbacks of the twins to their payments. */
  #collect(): void {
    for (const [n, { callbacks }] of this.#twins.entries()) {
      for (const each of callbacks.slice(this.#read[n])) {
        const ids = [...leavesOf(jsonIn(each.body))].map(([, value]) => String(value))
        const payment = ids.map((id) => this.#byOurId.get(id)).find((found) => found !== undefined)
        const last = payment?.ours[n]!.at(-1)
        if (last?.body === each.body) last.copies += 1
        else payment?.ours[n]!.push({ ...each, copies: 1 })
      }
      this.#read[n] = callbacks.length
    }
  }

  end(env: Env): Omit<Replayed, 'notes' | 'description'> {
    const comparison = this.#comparison
    const delays = new Map<string, number[]>()
    const retries: number[][] = []
    const withCallback = this.#payments.filter(({ theirs }) => theirs.length > 0)
    const lastCalled = Math.max(...withCallback.map(({ acceptedAt }) => acceptedAt))
    for (const payment of this.#payments) {
      const { operation, acceptedAt, theirs, status, hasUrl, isScripted } = payment
      if (theirs.length === 0 && status !== 'queued' && hasUrl && acceptedAt < lastCalled)
        comparison.add({ operation, place: 'callback', entry: 0 }, 'count', 'callbacks', 1, 0)
      for (const [n, { copies, entry: at }] of theirs.entries()) {
        const ours = payment.ours[0][n]?.copies
        if (copies > 0 && ours !== undefined && copies !== ours)
          comparison.add({ operation, place: 'callback', entry: at }, 'count', 'callbacks', ours, copies)
      }
      const [first] = theirs
      if (first && !isScripted)
        delays.set(operation, [...(delays.get(operation) ?? []), first.times[0]! - acceptedAt])
      for (const { times } of theirs)
        if (times.length > 1) retries.push(times.slice(1).map((time, n) => time - times[n]!))
    }
    this.#compareTimes(env, delays, retries)
    return {
      differences: comparison.differences,
      seen: comparison.seen,
      exchanges: this.#exchanges,
      delays,
      retries,
      counts: this.#counts,
    }
  }

  #compareTimes(
    env: Env,
    delays: ReadonlyMap<string, readonly number[]>,
    retries: readonly (readonly number[])[],
  ): void {
    const { SANDBOX_SETTLE_AFTER, SANDBOX_RETRY_PROFILE, SANDBOX_RETRY_SPEED } = env
    const config = readConfig({ SANDBOX_SETTLE_AFTER, SANDBOX_RETRY_PROFILE, SANDBOX_RETRY_SPEED })
    const { observed } = this.#twins[0].settings()
    for (const [operation, times] of delays) {
      const ours = observed?.operations?.[operation]?.settle_after?.median ?? medianOf(config.settleAfter)
      const theirs = quantile(times, 0.5)
      const at = { operation, place: 'callback', entry: 0 }
      this.#comparison.note(at, 'settle_after')
      if (ours !== undefined && Math.abs(theirs - ours) > Math.max(2_000, 0.5 * ours))
        this.#comparison.add(
          at,
          'delay',
          'settle_after',
          formatDuration(ours),
          formatDuration(Math.round(theirs)),
        )
    }
    const schedule =
      observed?.callbacks?.retries?.schedule ??
      RETRY_PROFILES[config.retryProfile].map((gap) => gap / config.retrySpeed)
    for (const gaps of retries)
      for (const [n, gap] of gaps.entries()) {
        const ours = schedule[n]
        const at = { operation: '', place: 'callback', entry: 0 }
        this.#comparison.note(at, `retry ${n + 1}`)
        if (ours === undefined || Math.abs(gap - ours) > Math.max(1_500, 0.25 * ours))
          this.#comparison.add(
            at,
            'retry',
            `retry ${n + 1}`,
            ours === undefined ? undefined : formatDuration(ours),
            formatDuration(Math.round(gap)),
          )
      }
  }
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
