import type { Context } from 'hono'
import { notFound } from '../domain/errors.ts'
import { jobsFailing, jobsOwed } from '../domain/jobs.ts'
import type { AdminSettings } from '../generated/control/schemas.ts'
import type { Env } from '../http/env.ts'
import { jsonStream } from '../http/json-stream.ts'
import type { Process } from '../http/process.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import { requestConditions, type RequestTest } from '../worlds/request-conditions.ts'
import { ReadRequest } from '../worlds/request-facts.ts'
import { requestView } from '../worlds/request-view.ts'
import type { World } from '../worlds/world.ts'
import type { ControlHandlers } from './handlers.ts'
import { walk } from './walk.ts'

/** The service's version (specification 9). */
const API_VERSION = '2.0.0'

export const admin: Pick<
  ControlHandlers,
  | 'adminListRequests'
  | 'adminClearRequests'
  | 'adminFindRequests'
  | 'adminCountRequests'
  | 'adminGetRequest'
  | 'adminReset'
  | 'adminGetSettings'
  | 'adminUpdateSettings'
  | 'adminHealth'
  | 'adminVersion'
  | 'adminShutdown'
> = {
  async adminListRequests(c) {
    const { limit } = c.req.valid('query')
    return listOf(c, await newest(c.var.process, undefined, limit, c.req.raw.signal))
  },

  async adminClearRequests(c) {
    let deleted = 0
    await walk(ADMIN, c.var.process.worlds.all(), ({ journal }) => {
      deleted += journal.clear()
    })
    return c.json({ deleted }, 200)
  },

  async adminFindRequests(c) {
    const test = await requestConditions(c.req.valid('json'))
    return listOf(c, await newest(c.var.process, test, MOST_FOUND, c.req.raw.signal))
  },

  async adminCountRequests(c) {
    const test = await requestConditions(c.req.valid('json'))
    return c.json({ count: (await newest(c.var.process, test, 0, c.req.raw.signal)).total }, 200)
  },

  async adminGetRequest(c) {
    const { id } = c.req.valid('param')
    const requests: Found[] = []
    await walk(ADMIN, c.var.process.worlds.all(), ({ name, journal }) => {
      const entry = journal.get(id)
      if (entry) requests.push({ world: name, entry })
    })
    if (requests.length === 0) throw notFound('request', id)
    return listOf(c, { requests: requests.sort(later), total: requests.length })
  },

  async adminReset(c) {
    const { worlds, defaults, disturbance } = c.var.process
    const all = worlds.all()
    await walk(ADMIN, all, ({ name, origin }) =>
      name === worlds.home || origin ? worlds.reset(name).then(() => {}) : worlds.drop(name),
    )
    defaults.reset()
    disturbance.change({ delay: null, chaos: null })
    return c.json({ worlds: all.length }, 200)
  },

  async adminGetSettings(c) {
    return c.json(settingsOf(c.var.process), 200)
  },

  async adminUpdateSettings(c) {
    const { process } = c.var
    const { validation, ...disturbing } = c.req.valid('json')
    if (validation) process.defaults.change({ validation })
    process.disturbance.change(disturbing)
    return c.json(settingsOf(process), 200)
  },

  async adminHealth(c) {
    const { worlds, wall, started_at, memory } = c.var.process
    const all = worlds.all()
    let pending_jobs = 0
    let failing_jobs = 0
    await walk(ADMIN, all, async (world) => {
      // One that goes meanwhile owes nothing any more.
      if (world.closed) return
      const work = await world.read((look) => [jobsOwed(look), jobsFailing(look).length])
      pending_jobs += work[0]!
      failing_jobs += work[1]!
    })
    return c.json(
      {
        status: 'ok' as const,
        uptime_ms: wall() - started_at,
        worlds: all.length,
        pending_jobs,
        failing_jobs,
        memory_bytes: memory(),
      },
      200,
    )
  },

  async adminVersion(c) {
    const { version, node } = c.var.process
    return c.json({ name: 'payments-sandbox', version, api_version: API_VERSION, node }, 200)
  },

  async adminShutdown(c) {
    c.var.process.stop()
    return c.json({ status: 'closing' as const }, 200)
  },
}

/** Whose work it is, where slices of the event loop are given. */
const ADMIN = '/__admin'
const MOST_FOUND = 1_000

interface Found {
  readonly world: string
  readonly entry: JournalEntry
}

const later = (a: Found, b: Found) => b.entry.at - a.entry.at

/** The newest requests of all worlds that meet a test, and how many do. */
async function newest(
  { worlds }: Process,
  test: RequestTest | undefined,
  most: number,
  left: AbortSignal,
): Promise<{ readonly requests: readonly Found[]; readonly total: number }> {
  let requests: Found[] = []
  let total = 0
  await walk(
    ADMIN,
    entriesOf(worlds.all()),
    (found) => {
      if (test && !test(new ReadRequest(found.entry))) return
      total++
      requests.push(found)
      if (requests.length > 2 * most + 1_000) requests = requests.sort(later).slice(0, most)
    },
    left,
  )
  return { requests: requests.sort(later).slice(0, most), total }
}

function* entriesOf(worlds: readonly World[]): Generator<Found> {
  for (const { name, journal } of worlds) for (const entry of journal.all()) yield { world: name, entry }
}

const listOf = (c: Context<Env>, { requests, total }: Awaited<ReturnType<typeof newest>>) =>
  jsonStream(c, { total, requests: [] }, requests, view) as never

const view = ({ world, entry }: Found) => ({ world, request: requestView(entry) })

const settingsOf = ({ defaults, disturbance }: Process): AdminSettings => ({
  validation: defaults.current.validation,
  delay: disturbance.delay,
  chaos: disturbance.chaos,
})
