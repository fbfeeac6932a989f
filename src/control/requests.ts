import { inRequestGroup } from './failures.ts'
import { handlers, walk, ok } from './page.ts'
import { inTime, waitIn, type Waiting } from './waiting.ts'
import type { RequestList, RequestWaitTimeout } from '../generated/control/types.ts'
import { listOf, type ListReply } from '../http/handler.ts'
import { isSecretName, redact, redactText } from '../lib/log/redact.ts'
import { describeOutcome } from '../scenarios/decide.ts'
import type { Attempt } from '../scenarios/explain.ts'
import { notFound } from '../service/domain/errors.ts'
import { readDuration } from '../service/domain/wire-time.ts'
import {
  curlOf,
  emptyHar,
  explanationOf,
  harEntry,
  pathOf,
  ReadRequest,
  requestView,
  type JournalEntry,
} from '../worlds/request-log.ts'
import {
  hasText,
  readConditions,
  requestConditions,
  type RequestTest,
  type Unmet,
} from '../worlds/request-conditions.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'

export const requests = handlers(({ worlds, version, library }) => ({
  async listRequests({ request, world, left }) {
    const { before, limit, search, group, ...filter } = request.query
    const { test } = await readFilter(filter)
    const has = search === undefined ? () => true : hasText(search)
    const inGroup = (entry: JournalEntry) => group === undefined || inRequestGroup(entry, group)
    const meant = (request: ReadRequest) => test(request) && inGroup(request.entry) && has(request.entry)
    return pageOf(await newestFirst(world, meant, left), before, limit)
  },

  async clearRequests({ world }) {
    return ok({ deleted: await world.journal.clear() })
  },

  async findRequests({ request, world, left }) {
    const test = await requestConditions(request.body)
    return pageOf(await newestFirst(world, test, left), undefined, 1_000)
  },

  async countRequests({ world, left, request }) {
    const { test, unmet } = await readConditions(request.body)
    const count = (await newestFirst(world, test, left)).length
    if (count > 0) return ok({ count })
    const wanted = Object.keys(request.body).length
    const nearest = await nearestRequest(world, unmet, wanted, left)
    return ok(nearest === '' ? { count } : { count, nearest })
  },

  async waitForRequests(call) {
    const { world } = call
    const { count, timeout, ...filter } = call.request.query
    const { test, unmet, wanted } = await readFilter(filter)
    const most = readDuration('timeout', timeout, { most: LONGEST_WAIT })
    const seen = await untilSeen(call, worlds, test, count, most)
    if (seen.length >= count) return { status: 200, body: { requests: [] }, list: listOf(seen, requestView) }
    const others = (await lastOthers(world, test, call.left)).map(inShort)
    const nearest = seen.length === 0 ? await nearestRequest(world, unmet, wanted, call.left) : ''
    const answer: RequestWaitTimeout = {
      error_code: 'deadline_exceeded',
      error_message: `${seen.length} of ${count} requests arrived ${inTime(most, timeout)}; ${instead(others)}${nearest && `; the nearest was ${nearest}`}`,
      status_code: 504,
      others,
      nearest,
      requests: [],
    }
    return { status: 504, body: answer, list: listOf(seen, requestView) }
  },

  async exportHar({ world }) {
    const answered = (await world.journal.all()).filter((entry) => entry.answered)
    return { status: 200, body: emptyHar(version), list: listOf(answered, harEntry) }
  },

  async getRequest({ world, request }) {
    return ok(requestView(await requireRequest(world, request.path.id)))
  },

  async getRequestAsCurl({ world, request }) {
    const entry = await requireRequest(world, request.path.id)
    return { status: 200, text: `${curlOf(entry)}\n` }
  },

  async explainRequest({ request, world }) {
    const entry = await requireRequest(world, request.path.id)
    const { id, operation, status } = entry
    const explanation = explanationOf(entry, library())
    const decision = explanation && entry.decided?.decision
    return ok({
      id,
      operation,
      status,
      decided_by: decision?.by ?? ('rejected' as const),
      scenario: decision?.scenario ?? null,
      outcome: decision ? describeOutcome(decision.outcome) : '',
      overridden: [...(decision?.overridden ?? [])],
      incidents: [...(decision?.incidents ?? [])],
      rules: decision ? explanation.rules.map(view) : [],
      nearest: decision && explanation.nearest ? [view(explanation.nearest)] : [],
    })
  },
}))

async function newestFirst(
  world: World,
  test: RequestTest,
  left: AbortSignal,
): Promise<readonly JournalEntry[]> {
  const found: JournalEntry[] = []
  const look = (entry: JournalEntry) => {
    if (test(new ReadRequest(entry))) found.push(entry)
  }
  await walk(world.name, await world.journal.all(), look, left)
  return found.reverse()
}

async function lastOthers(world: World, test: RequestTest, left: AbortSignal) {
  const found: JournalEntry[] = []
  const look = (entry: JournalEntry) => {
    if (!entry.answered || !test(new ReadRequest(entry))) found.push(entry)
    return found.length < 5 ? undefined : false
  }
  await walk(world.name, await world.journal.newest(Infinity), look, left)
  return found
}

async function requireRequest(world: World, id: string): Promise<JournalEntry> {
  const entry = await world.journal.get(id)
  if (!entry) throw notFound('request', id)
  return entry
}

/** Filters of a query are conditions. A reference may also occur in the response. */
async function readFilter({ reference, result, ...plain }: { readonly [name: string]: unknown }) {
  const given = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined))
  const read = await readConditions(given)
  const names = (request: ReadRequest) => reference === undefined || referencesOf(request).includes(reference)
  return {
    test: (request: ReadRequest) => hasResult(request, result) && read.test(request) && names(request),
    unmet(request: ReadRequest): readonly Unmet[] {
      const misses = read.unmet(request)
      if (names(request)) return misses
      return [...misses, { field: 'reference', expected: reference, got: request.facts.reference }]
    },
    wanted: Object.keys(given).length + (reference === undefined ? 0 : 1),
  }
}

function hasResult({ facts }: ReadRequest, result: unknown): boolean {
  const status = Number(facts.status ?? 0)
  if (result === 'accepted') return status > 0 && status < 400
  return result === undefined || status >= (result === 'failed' ? 500 : 400)
}

function referencesOf(request: ReadRequest): readonly unknown[] {
  const answer = (request.response ?? {}) as { readonly [name: string]: unknown }
  const given = ['reference', 'CheckoutRequestID', 'merchant_reference', 'checkout_request_id']
  return [request.facts.reference, ...given.map((name) => answer[name])]
}

function pageOf(
  matching: readonly JournalEntry[],
  before: string | undefined,
  limit: number,
): ListReply<200, RequestList> {
  const bound = before === undefined ? Infinity : numberOf(before)
  const from = before === undefined ? 0 : matching.findIndex(({ id }) => numberOf(id) < bound)
  const page = from < 0 ? [] : matching.slice(from, from + limit)
  const more = from >= 0 && from + limit < matching.length
  const next_before = more ? page.at(-1)!.id : null
  const answer: RequestList = { total: matching.length, next_before, requests: [] }
  return { status: 200, body: answer, list: listOf(page, requestView) }
}

// The look-behind prevents quadratic time on long rows of digits.
const numberOf = (id: string) => Number(/(?<!\d)\d+$/.exec(id)?.[0] ?? Infinity)

const LONGEST_WAIT = 60_000

const inShort = (entry: JournalEntry) => ({
  id: entry.id,
  method: entry.method,
  path: redactText(pathOf(entry.url)),
  reference: textOrNull(new ReadRequest(entry).facts.reference),
})

/** Rejected requests may have any value as their reference. */
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

const instead = (others: readonly ReturnType<typeof inShort>[]) =>
  others.length === 0
    ? 'no others arrived'
    : `the last others were ${others.map(({ method, path, reference }) => `${method} ${path}${reference ? ` (${reference})` : ''}`).join(', ')}`

/**
 * Returns the matching requests with a response, oldest first, as soon as there are enough or when the time
 * is up or the client disconnects. Logged requests are checked once, others when they receive their response.
 * @param timeout - milliseconds of real time
 */
async function untilSeen(
  call: Waiting,
  worlds: Worlds,
  test: RequestTest,
  count: number,
  timeout: number,
): Promise<readonly JournalEntry[]> {
  const { world } = call
  const { journal, responses } = world
  let seen: JournalEntry[] = []
  // The request log may have dropped or deleted some of them.
  const forget = async () => {
    const ids = seen.map(({ id }) => id)
    const remembered = await journal.remembered(ids)
    const forgotten = new Set(ids.filter((id) => !remembered.has(id)))
    if (forgotten.size > 0) seen = seen.filter(({ id }) => !forgotten.has(id))
  }
  const enough = async () => {
    if (seen.length < count) return false
    await forget()
    return seen.length >= count
  }
  const look = (request: ReadRequest) => {
    if (test(request)) seen.push(request.entry)
  }
  let looked = () => {}
  // These may receive their response while the log is read, which then contains them, too.
  const meanwhile = new Set<string>()
  let asked = false
  const stop = responses.listen((request) => {
    if (!asked) meanwhile.add(request.entry.id)
    look(request)
    looked()
  })
  try {
    const all = await journal.all()
    asked = true
    const before = all.filter(({ id, answered }) => answered && !meanwhile.has(id))
    const looking = walk(world.name, before, (entry) => look(new ReadRequest(entry)), call.left)
    if (timeout > 0)
      await waitIn<void>(call, worlds, timeout, (found, failed) => {
        looked = () => void enough().then((yes) => yes && found(), failed)
        looking.then(looked, failed)
        return () => {}
      })
    // The time may be up before all logged requests are checked.
    await looking
  } finally {
    stop()
  }
  await forget()
  return seen.sort((a, b) => numberOf(a.id) - numberOf(b.id))
}

/** Recent requests searched for the nearest one. */
const MOST = 1_000
/** Maximum number of characters shown of a value, and of fields. */
const LONGEST = 80
const MOST_FIELDS = 10

/**
 * Describes the newest request that misses the fewest conditions; empty if no request meets any.
 * @param wanted - number of conditions
 */
async function nearestRequest(
  world: World,
  unmet: (request: ReadRequest) => readonly Unmet[],
  wanted: number,
  left: AbortSignal,
): Promise<string> {
  let nearest: { readonly entry: JournalEntry; readonly misses: readonly Unmet[] } | undefined
  const look = (entry: JournalEntry) => {
    const misses = unmet(new ReadRequest(entry))
    // A request that meets no condition is of no help.
    if (misses.length === 0 || (wanted > 1 && misses.length === wanted)) return undefined
    if (!nearest || misses.length < nearest.misses.length) nearest = { entry, misses }
    return misses.length === 1 ? false : undefined
  }
  await walk(world.name, await world.journal.newest(MOST), look, left)
  return nearest ? inWords(nearest.entry, nearest.misses) : ''
}

const inWords = (entry: JournalEntry, misses: readonly Unmet[]): string => {
  const lines = misses
    .slice(0, MOST_FIELDS)
    .map(
      ({ field, expected, got }) => `${field}: expected ${shown(field, expected)}, got ${shown(field, got)}`,
    )
  const more = misses.length > MOST_FIELDS ? [`and ${misses.length - MOST_FIELDS} more`] : []
  return `${entry.method} ${redactText(pathOf(entry.url))} (${entry.id}): ${[...lines, ...more].join('; ')}`
}

function shown(field: string, value: unknown): string {
  if (value === undefined) return 'nothing'
  if (isSecretName(field.slice(field.lastIndexOf('.') + 1))) return '[redacted]'
  const text = typeof value === 'string' ? JSON.stringify(redactText(value)) : JSON.stringify(value, redact)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

const view = ({ by, scenario, matched, misses }: Attempt) => ({
  by: by as Exclude<Attempt['by'], 'default'>,
  scenario,
  matched,
  misses: misses.map(({ field, must, value }) => ({ field, must, value: text(field, value) })),
})

function text(field: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (isSecretName(field.slice(field.lastIndexOf('.') + 1))) return '[redacted]'
  return typeof value === 'string' ? redactText(value) : JSON.stringify(value, redact)
}
