/** Replays a recording in two fresh worlds and compares every message. */
import type { OutgoingCallback } from '../callbacks/send.ts'
import { RETRY_PROFILES } from '../callbacks/retry.ts'
import { readConfig } from '../config/config.ts'
import type { TimeSlice } from '../lib/clock/clock.ts'
import { isRecord } from '../lib/objects.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { endingOf } from '../service/domain/countries/countries.ts'
import { type Description, readDescription } from './described.ts'
import { createComparison, type Difference } from './differences.ts'
import type { HarEntry, Pairs, Recording } from './har.ts'
import {
  idsIn,
  leavesOf,
  medianOf,
  messageOf,
  type Message,
  namedLeaves,
  nearestReason,
  quantile,
  receivedMessage,
  referenceIn,
  resultIn,
} from './messages.ts'
import { type PriorState, priorStateOf } from './prior-state.ts'
import { createTwin, type Twin, type TwinOptions } from './twin.ts'

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
const MOST_NOTES = 20

export type Env = Readonly<Record<string, string | undefined>>

interface Payment {
  readonly operation: string
  readonly references: readonly [string, string]
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

/** A callback of a twin. */
interface Sent extends OutgoingCallback {
  copies: number
}

export interface ReplayOptions extends Pick<TwinOptions, 'createSandbox'> {
  /** Settings of the sandbox by the names of their environment variables. */
  readonly env?: Env
  /** The text of an overlay that the twins apply. */
  readonly observed?: string | undefined
  /** Ends the replay. */
  readonly signal?: AbortSignal | undefined
  /** Lets other work of the process run in between. */
  readonly slice?: TimeSlice
  /** Receives the memory of the twins after each slice. @throws {Error} If it is too much */
  readonly onBytes?: (bytes: number) => void
}

export async function replay(
  recording: Recording,
  { createSandbox, env = {}, observed, signal, slice, onBytes }: ReplayOptions,
): Promise<Replayed> {
  const { entries } = recording
  const description = await readDescription()
  const prior = await priorStateOf(entries, description, slice)
  const { seed } = prior
  const start = Date.parse(entries[0]?.startedDateTime ?? '2026-01-01T00:00:00Z')
  const isNested = entries.some(({ _callback, request }) => {
    const body = _callback && parsedJson(request.postData?.text ?? '')
    return isRecord(body) && isRecord(body['response'])
  })
  const options = {
    createSandbox,
    seed,
    env: { SANDBOX_CALLBACK_SHAPE: isNested ? 'nested' : 'flat', ...env },
    observed,
  }
  const twins = [
    await createTwin({ ...options, random: 'first twin', start, ids: 0 }),
    await createTwin({ ...options, random: 'second twin', start: start + SHIFT, ids: SECOND_IDS }),
  ] as const
  try {
    const pseudonyms = new Set(entries.flatMap(({ _pseudonyms = [] }) => _pseudonyms))
    const run = createReplay(twins, description, prior, start, pseudonyms)
    for (const [n, entry] of entries.entries()) {
      signal?.throwIfAborted()
      if (slice?.over) {
        onBytes?.(twins[0].bytes() + twins[1].bytes())
        await slice.next()
      }
      await run.entry(n, entry)
    }
    return { ...run.end(env), notes: [...recording.notes, ...run.notes], description }
  } finally {
    await Promise.all(twins.map((twin) => twin.close()))
  }
}

const PAYING = ['createCollection', 'createWithdrawal', 'createGlobalPayment', 'topUpServiceWallet']
const PASSED = /^(content-type|prefer|accept-language|idempotency-key|x-(?!forwarded|real).*)$/i
const isOk = ({ status = 0 }: Message) => status < 400
const pairsIn = (headers: Pairs) => headers.map(({ name, value }) => [name, value] as const)

function createReplay(
  twins: readonly [Twin, Twin],
  description: Description,
  prior: PriorState,
  start: number,
  pseudonyms: ReadonlySet<string>,
) {
  const notes: string[] = []
  const comparison = createComparison(pseudonyms)
  const exchanges = new Map<number, Exchange>()
  const payments: Payment[] = []
  /** By the identifiers of the service. */
  const byId = new Map<string, Payment>()
  /** By the identifiers of the twins. */
  const byOurId = new Map<string, Payment>()
  /** Identifiers of what the service accepted and the sandbox did not. */
  const lostIds = new Map<string, number>()
  const readOf = [0, 0]
  const reasonOfText = new Map<string, string>()
  const counts = { requests: 0, callbacks: 0, skipped: 0 }
  let now = start

  async function replayEntry(n: number, entry: HarEntry): Promise<void> {
    now = Math.max(now, Date.parse(entry.startedDateTime))
    const { request, response, _callback } = entry
    const url = new URL(request.url)
    const found = description.find(request.method, url.pathname)
    if (_callback || (!found && paymentIn(parsedJson(request.postData?.text ?? ''))))
      return replayCallback(n, entry)
    if (!found) return skip(`${request.method} ${url.pathname} is no operation of the service`)
    if (response.status === 0) return skip(`entry ${n} has no response`)
    await advance()
    await replayRequest(n, entry, found.operation, found.path + url.search)
  }

  function skip(note: string): void {
    counts.skipped += 1
    remark(note)
  }

  function remark(note: string): void {
    if (notes.length < MOST_NOTES && !notes.includes(note)) notes.push(note)
  }

  async function advance(): Promise<void> {
    await Promise.all(twins.map((twin, n) => twin.advance(now + n * SHIFT)))
    collect()
  }

  async function replayRequest(n: number, entry: HarEntry, operation: string, path: string): Promise<void> {
    const { request, response } = entry
    const { ids } = comparison
    const text = request.postData?.text
    const body = parsedJson(text ?? '')
    const lost = [...leavesOf(body), ['', path]]
      .map(([, value]) => lostIds.get(String(value).replace(/^.*\//, '')))
      .find((each) => each !== undefined)
    if (lost !== undefined) return skip(`entry ${n} follows from entry ${lost}, which the sandbox rejects`)
    const theirs = receivedMessage(response)
    if (operation === 'getTransactionStatus') await settleLike(paymentIn(body), theirs.body)
    counts.requests += 1
    const authorization = prior.authorization(entry)
    const headers = {
      ...(text !== undefined && { 'content-type': request.postData?.mimeType || 'application/json' }),
      ...Object.fromEntries(
        pairsIn(request.headers)
          .filter(([name]) => PASSED.test(name))
          .map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...(authorization && { authorization }),
    }
    const [a, b] = (await Promise.all(
      twins.map((twin, index) => {
        const side = index as 0 | 1
        const sent = body === undefined ? text : JSON.stringify(ids.inJson(body, side))
        const parts = path.split(/(?=[/?&=])/).map((part) => part[0] + ids.inText(part.slice(1), side))
        return twin.send(request.method, parts.join(''), headers, sent)
      }),
    )) as [Message, Message]
    const at = { operation, place: String(a.status), entry: n }
    const query = Object.fromEntries(new URL(path, 'http://x').searchParams)
    const exchange = { operation, request: { body, query }, ours: a, theirs }
    exchanges.set(n, exchange)
    comparison.note(at, '')
    if (a.status !== theirs.status) comparison.add(at, 'status', '', a, theirs)
    const { text: received, size } = response.content
    // Other tools may omit bodies.
    if (received === undefined && size > 0)
      remark(`entry ${n} has no text of its ${size} bytes; only the status is compared`)
    else if (isOk(a) === isOk(theirs)) comparison.messages(at, [a, b], theirs)
    else if (isOk(theirs)) for (const id of idsIn(theirs.body)) lostIds.set(id, n)
    if (PAYING.includes(operation) && isOk(a) && isOk(theirs)) accepted(entry, exchange, b)
  }

  /** Notes an accepted payment with all its identifiers. */
  function accepted(entry: HarEntry, { operation, request, ours, theirs }: Exchange, second: Message): void {
    const [a, b] = [ours, second].map(({ body }) => referenceIn(body))
    if (a === undefined || b === undefined) return
    const sent = namedLeaves(request.body)
    const party = String(sent.get('phone_number') ?? sent.get('account_number') ?? '').replace(/^\+?0?/, '')
    const prefers = entry.request.headers.some(({ name }) => /^(prefer|x-sandbox-scenario)$/i.test(name))
    const payment: Payment = {
      operation,
      references: [a, b],
      acceptedAt: Date.parse(entry.startedDateTime) + entry.time,
      hasUrl: sent.has('callback_url'),
      isScripted: prefers || endingOf(party) !== undefined || endingOf(`254${party}`) !== undefined,
      ours: [[], []],
      status: 'queued',
      theirs: [],
    }
    payments.push(payment)
    // An identifier that is determined, such as the shop's reference, may occur several times.
    const add = (map: Map<string, Payment>, { body }: Message) => {
      for (const id of idsIn(body)) if (!map.has(id)) map.set(id, payment)
    }
    add(byId, theirs)
    for (const message of [ours, second]) add(byOurId, message)
  }

  function paymentIn(body: unknown, ids = byId): Payment | undefined {
    return ids.get(idsIn(body).find((id) => ids.has(id)) ?? '')
  }

  async function replayCallback(n: number, { request, response }: HarEntry): Promise<void> {
    const text = request.postData?.text ?? ''
    const body = parsedJson(text)
    const payment = paymentIn(body)
    if (!payment) return skip(`the callback of entry ${n} belongs to no payment of the recording`)
    counts.callbacks += 1
    const at = { operation: payment.operation, place: 'callback', entry: n }
    const delivered = response.status >= 200 && response.status < 300
    const before = payment.theirs.find((each) => each.text === text)
    if (before) {
      if (before.copies === 0) before.times.push(now)
      if (delivered || before.copies > 0) before.copies += 1
      return
    }
    payment.theirs.push({ text, times: [now], entry: n, copies: delivered ? 1 : 0 })
    await advance()
    await settleLike(payment, body)
    await advance()
    const [a, b] = payment.ours
      .map((list) => list[payment.theirs.length - 1])
      .map((each) => each && messageOf(undefined, Object.entries(each.headers), each.body))
    comparison.note(at, '')
    if (!a || !b)
      return comparison.add(at, 'count', 'callbacks', payment.ours[0].length, payment.theirs.length)
    const theirs = messageOf(undefined, pairsIn(request.headers), text)
    const sent = { body: undefined, query: {} }
    exchanges.set(n, { operation: at.operation, request: sent, ours: a, theirs })
    comparison.messages(at, [a, b], theirs)
  }

  /** Ends a payment as the recording shows. */
  async function settleLike(payment: Payment | undefined, body: unknown): Promise<void> {
    const result = payment && resultIn(body)
    if (!payment || !result || result.status === payment.status || result.status === 'queued') return
    payment.status = result.status
    const reason = result.status === 'failed' ? reasonFor(result) : undefined
    const outcome = { outcome: result.status }
    for (const [n, twin] of twins.entries()) {
      const reference = payment.references[n]!
      if (reason !== undefined && (await twin.simulate(reference, { ...outcome, reason }))) continue
      // A reason may not fit the rail; a test number may have ended the payment already.
      await twin.simulate(reference, outcome)
    }
  }

  /** Each unknown text stands for another reason. */
  function reasonFor(result: { text: string; code: number | undefined }): string | undefined {
    const found = reasonOfText.get(result.text) ?? nearestReason(result, new Set(reasonOfText.values()))
    if (found !== undefined) reasonOfText.set(result.text, found)
    return found
  }

  /** Assigns new callbacks of the twins to their payments. */
  function collect(): void {
    for (const [n, { callbacks }] of twins.entries()) {
      for (const each of callbacks.slice(readOf[n])) {
        const list = paymentIn(parsedJson(each.body), byOurId)?.ours[n]
        const last = list?.at(-1)
        if (last?.body === each.body) last.copies += 1
        else list?.push({ ...each, copies: 1 })
      }
      readOf[n] = callbacks.length
    }
  }

  function resultOf(env: Env): Omit<Replayed, 'notes' | 'description'> {
    const delays = new Map<string, number[]>()
    const retries: number[][] = []
    const withCallback = payments.filter(({ theirs }) => theirs.length > 0)
    const lastCalled = Math.max(...withCallback.map(({ acceptedAt }) => acceptedAt))
    for (const { operation, acceptedAt, ours, theirs, status, hasUrl, isScripted } of payments) {
      const differ = (entry: number, mine: number, their: number) =>
        comparison.add({ operation, place: 'callback', entry }, 'count', 'callbacks', mine, their)
      if (theirs.length === 0 && status !== 'queued' && hasUrl && acceptedAt < lastCalled) differ(0, 1, 0)
      for (const [n, { copies, entry, times }] of theirs.entries()) {
        const mine = ours[0][n]?.copies
        if (copies > 0 && mine !== undefined && copies !== mine) differ(entry, mine, copies)
        if (n === 0 && !isScripted)
          delays.set(operation, [...(delays.get(operation) ?? []), times[0]! - acceptedAt])
        if (times.length > 1) retries.push(times.slice(1).map((time, index) => time - times[index]!))
      }
    }
    compareTimes(env, delays, retries)
    const { differences, seen } = comparison
    return { differences, seen, exchanges, delays, retries, counts }
  }

  function compareTimes(
    { SANDBOX_SETTLE_AFTER, SANDBOX_RETRY_PROFILE, SANDBOX_RETRY_SPEED }: Env,
    delays: ReadonlyMap<string, readonly number[]>,
    retries: readonly (readonly number[])[],
  ): void {
    const config = readConfig({ SANDBOX_SETTLE_AFTER, SANDBOX_RETRY_PROFILE, SANDBOX_RETRY_SPEED })
    const { observed } = twins[0].settings()
    const compare = (
      kind: 'delay' | 'retry',
      place: readonly [operation: string, field: string],
      [ours, theirs]: readonly [number | undefined, number],
      tolerance: number,
    ) => {
      const [operation, field] = place
      const at = { operation, place: 'callback', entry: 0 }
      comparison.note(at, field)
      if (ours !== undefined && Math.abs(theirs - ours) <= tolerance) return
      const shown = ours === undefined ? undefined : formatDuration(ours)
      comparison.add(at, kind, field, shown, formatDuration(Math.round(theirs)))
    }
    for (const [operation, times] of delays) {
      const ours = observed?.operations?.[operation]?.settle_after?.median ?? medianOf(config.settleAfter)
      const theirs = quantile(times, 0.5)
      const tolerance = Math.max(2_000, 0.5 * (ours ?? 0))
      compare('delay', [operation, 'settle_after'], [ours ?? theirs, theirs], tolerance)
    }
    const schedule =
      observed?.callbacks?.retries?.schedule ??
      RETRY_PROFILES[config.retryProfile].map((gap) => gap / config.retrySpeed)
    for (const gaps of retries)
      for (const [n, gap] of gaps.entries()) {
        const ours = schedule[n]
        compare('retry', ['', `retry ${n + 1}`], [ours, gap], Math.max(1_500, 0.25 * (ours ?? 0)))
      }
  }
  return { notes, entry: replayEntry, end: resultOf }
}
