import type { Context } from 'hono'
import { notFound } from '../domain/errors.ts'
import type { Env } from '../http/env.ts'
import type { RequestList, RequestWaitTimeout } from '../generated/control/schemas.ts'
import { jsonStream } from '../http/json-stream.ts'
import { redactText } from '../log/redact.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import { curlOf, emptyHar, harEntry } from '../worlds/request-copies.ts'
import { requestConditions, type RequestTest } from '../worlds/request-conditions.ts'
import { factsOf, ReadRequest } from '../worlds/request-facts.ts'
import { pathOf, requestView } from '../worlds/request-view.ts'
import type { World } from '../worlds/world.ts'
import type { ControlHandlers } from './handlers.ts'
import { readDuration } from './read.ts'
import { inTime } from './waiting.ts'
import { untilSeen } from './wait-for-requests.ts'
import { walk } from './walk.ts'

export const requests: Pick<
  ControlHandlers,
  | 'listRequests'
  | 'clearRequests'
  | 'findRequests'
  | 'countRequests'
  | 'waitForRequests'
  | 'exportHar'
  | 'getRequest'
  | 'getRequestAsCurl'
> = {
  async listRequests(c) {
    const { before, limit, ...filter } = c.req.valid('query')
    const test = await filterTest(filter)
    return pageOf(c, await newestFirst(c.var.world, test, c.req.raw.signal), before, limit)
  },

  async clearRequests(c) {
    const { world } = c.var
    return c.json({ deleted: world.journal.clear() }, 200)
  },

  async findRequests(c) {
    const test = await requestConditions(c.req.valid('json'))
    return pageOf(c, await newestFirst(c.var.world, test, c.req.raw.signal), undefined, 1_000)
  },

  async countRequests(c) {
    const test = await requestConditions(c.req.valid('json'))
    return c.json({ count: (await newestFirst(c.var.world, test, c.req.raw.signal)).length }, 200)
  },

  async waitForRequests(c) {
    const { world } = c.var
    const { signal } = c.req.raw
    const { count, timeout, ...filter } = c.req.valid('query')
    const test = await filterTest(filter)
    const most = readDuration('timeout', timeout, { most: LONGEST_WAIT })
    const seen = await untilSeen(c, test, count, most)
    if (seen.length >= count) return jsonStream(c, { requests: [] }, seen, requestView) as never
    const others = (await lastOthers(world, test, signal)).map(inShort)
    const answer: RequestWaitTimeout = {
      error_code: 'deadline_exceeded',
      error_message: `${seen.length} of ${count} requests came ${inTime(most, timeout)}; ${instead(others)}`,
      status_code: 504,
      others,
      requests: [],
    }
    return jsonStream(c, answer, seen, requestView, 504) as never
  },

  async exportHar(c) {
    const { world, process } = c.var
    const answered = world.journal.all().filter((entry) => entry.answered)
    return jsonStream(c, emptyHar(process.version), answered, harEntry) as never
  },

  async getRequest(c) {
    return c.json(requestView(requireRequest(c.var.world, c.req.valid('param').id)), 200)
  },

  async getRequestAsCurl(c) {
    return c.text(`${curlOf(requireRequest(c.var.world, c.req.valid('param').id))}\n`, 200)
  },
}

/** The requests that meet a test, newest first. */
async function newestFirst(
  world: World,
  test: RequestTest,
  left: AbortSignal,
): Promise<readonly JournalEntry[]> {
  const found: JournalEntry[] = []
  const look = (entry: JournalEntry) => {
    if (test(new ReadRequest(entry))) found.push(entry)
  }
  await walk(world.name, world.journal.all(), look, left)
  return found.reverse()
}

/** The last five requests that were not waited for. */
async function lastOthers(world: World, test: RequestTest, left: AbortSignal) {
  const found: JournalEntry[] = []
  const look = (entry: JournalEntry) => {
    if (!entry.answered || !test(new ReadRequest(entry))) found.push(entry)
    return found.length < 5 ? undefined : false
  }
  await walk(world.name, world.journal.all().toReversed(), look, left)
  return found
}

function requireRequest(world: World, id: string): JournalEntry {
  const entry = world.journal.get(id)
  if (!entry) throw notFound('request', id)
  return entry
}

/** The filters of a query are conditions too; a reference may also be one that the answer gave. */
async function filterTest({
  reference,
  ...plain
}: {
  readonly [name: string]: unknown
}): Promise<RequestTest> {
  const test = await requestConditions(
    Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
  )
  return (request) => test(request) && (reference === undefined || referencesOf(request).includes(reference))
}

function referencesOf(request: ReadRequest): readonly unknown[] {
  const answer = (request.answer ?? {}) as { readonly [name: string]: unknown }
  const given = ['reference', 'CheckoutRequestID', 'merchant_reference', 'checkout_request_id']
  return [request.facts.reference, ...given.map((name) => answer[name])]
}

function pageOf(
  c: Context<Env>,
  matching: readonly JournalEntry[],
  before: string | undefined,
  limit: number,
) {
  const bound = before === undefined ? Infinity : numberOf(before)
  const from = before === undefined ? 0 : matching.findIndex(({ id }) => numberOf(id) < bound)
  const page = from < 0 ? [] : matching.slice(from, from + limit)
  const more = from >= 0 && from + limit < matching.length
  const next_before = more ? page.at(-1)!.id : null
  const answer: RequestList = { total: matching.length, next_before, requests: [] }
  return jsonStream(c, answer, page, requestView) as never
}

// The look-behind keeps it from trying each digit of a row as the first.
const numberOf = (id: string) => Number(/(?<!\d)\d+$/.exec(id)?.[0] ?? Infinity)

const LONGEST_WAIT = 60_000

const inShort = (entry: JournalEntry) => ({
  id: entry.id,
  method: entry.method,
  path: redactText(pathOf(entry.url)),
  reference: textOrNull(factsOf(entry).reference),
})

/** A request that was refused may have had anything for a reference. */
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

const instead = (others: readonly ReturnType<typeof inShort>[]) =>
  others.length === 0
    ? 'no others came'
    : `the last others were ${others.map(({ method, path, reference }) => `${method} ${path}${reference ? ` (${reference})` : ''}`).join(', ')}`
