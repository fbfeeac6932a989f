import { invalid, notFound } from '../domain/errors.ts'
import { parseDuration } from '../duration.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import { curlOf, harOf } from '../worlds/request-copies.ts'
import { requestConditions } from '../worlds/request-conditions.ts'
import { factsOf } from '../worlds/request-facts.ts'
import { pathOf, requestView } from '../worlds/request-view.ts'
import type { World } from '../worlds/world.ts'
import type { ControlHandlers } from './handlers.ts'
import { inTime, waitIn } from './waiting.ts'

type Test = (entry: JournalEntry) => boolean

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
    return c.json(pageOf(newestFirst(c.var.world, filterTest(filter)), before, limit), 200)
  },

  async clearRequests(c) {
    const { world } = c.var
    return c.json({ deleted: world.journal.clear() }, 200)
  },

  async findRequests(c) {
    const test = requestConditions(c.req.valid('json'))
    return c.json(pageOf(newestFirst(c.var.world, test), undefined, 1_000), 200)
  },

  async countRequests(c) {
    return c.json({ count: newestFirst(c.var.world, requestConditions(c.req.valid('json'))).length }, 200)
  },

  async waitForRequests(c) {
    const { world } = c.var
    const { count, timeout, ...filter } = c.req.valid('query')
    const test: Test = (entry) => entry.answered && filterTest(filter)(entry)
    const most = readTimeout(timeout)
    await untilSeen(world, test, count, most, c.req.raw.signal)
    const seen = newestFirst(world, test).reverse()
    const requests = seen.map(requestView)
    if (seen.length >= count) return c.json({ requests }, 200)
    const others = newestFirst(world, (entry) => !test(entry))
      .slice(0, 5)
      .map(inShort)
    return c.json(
      {
        error_code: 'deadline_exceeded' as const,
        error_message: `${seen.length} of ${count} requests came ${inTime(most, timeout)}; ${instead(others)}`,
        status_code: 504,
        requests,
        others,
      },
      504,
    )
  },

  async exportHar(c) {
    return c.json(harOf(c.var.world.journal.all(), c.var.process.version), 200)
  },

  async getRequest(c) {
    return c.json(requestView(requireRequest(c.var.world, c.req.valid('param').id)), 200)
  },

  async getRequestAsCurl(c) {
    return c.text(`${curlOf(requireRequest(c.var.world, c.req.valid('param').id))}\n`, 200)
  },
}

export const newestFirst = (world: World, test: Test) => world.journal.all().filter(test).reverse()

function requireRequest(world: World, id: string): JournalEntry {
  const entry = world.journal.get(id)
  if (!entry) throw notFound('request', id)
  return entry
}

/** The filters of a query are conditions too; a reference may also be one that the answer gave. */
function filterTest({ reference, ...plain }: { readonly [name: string]: unknown }): Test {
  const test = requestConditions(
    Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
  )
  return (entry) => test(entry) && (reference === undefined || referencesOf(entry).includes(reference))
}

function referencesOf(entry: JournalEntry): readonly unknown[] {
  const answer = (entry.answer ?? {}) as { readonly [name: string]: unknown }
  const given = ['reference', 'CheckoutRequestID', 'merchant_reference', 'checkout_request_id']
  return [factsOf(entry).reference, ...given.map((name) => answer[name])]
}

function pageOf(matching: readonly JournalEntry[], before: string | undefined, limit: number) {
  const from = before === undefined ? 0 : matching.findIndex(({ id }) => numberOf(id) < numberOf(before))
  const page = from < 0 ? [] : matching.slice(from, from + limit)
  const more = from >= 0 && from + limit < matching.length
  return {
    requests: page.map(requestView),
    total: matching.length,
    next_before: more ? page.at(-1)!.id : null,
  }
}

const numberOf = (id: string) => Number(/\d+$/.exec(id)?.[0] ?? Infinity)

const LONGEST_WAIT = 60_000

function readTimeout(text: string): number {
  try {
    return Math.min(parseDuration(text), LONGEST_WAIT)
  } catch (error) {
    throw invalid(`timeout ${(error as Error).message}`)
  }
}

/** Resolves when so many requests match, when the time is over or when the caller has gone. */
async function untilSeen(
  world: World,
  test: Test,
  count: number,
  timeout: number,
  gone: AbortSignal,
): Promise<void> {
  const enough = () => newestFirst(world, test).length >= count
  if (enough() || timeout === 0) return
  await waitIn<void>(world, timeout, gone, (found) => world.journal.onAnswered(() => enough() && found()))
}

const inShort = (entry: JournalEntry) => ({
  id: entry.id,
  method: entry.method,
  path: pathOf(entry.url),
  reference: (factsOf(entry).reference as string | undefined) ?? null,
})

const instead = (others: readonly ReturnType<typeof inShort>[]) =>
  others.length === 0
    ? 'no others came'
    : `the last others were ${others.map(({ method, path, reference }) => `${method} ${path}${reference ? ` (${reference})` : ''}`).join(', ')}`
