import { timeSlice } from '../clock/time-slice.ts'
import { notFound } from '../domain/errors.ts'
import { jobsFailing, jobsOwed } from '../domain/jobs.ts'
import type { AdminSettings } from '../generated/control/schemas.ts'
import type { Process } from '../http/process.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import { requestConditions } from '../worlds/request-conditions.ts'
import { requestView } from '../worlds/request-view.ts'
import type { ControlHandlers } from './handlers.ts'

/** The service's version (specification 9). */
const API_VERSION = '2.0.0'
/** In whose name time is shared by what is done for no single world. */
const EVERYBODY = ''
/** So many requests beside those asked for are not worth being sorted out. */
const MANY = 10_000

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
    return c.json(await newest(c.var.process, limit), 200)
  },

  async adminClearRequests(c) {
    const { worlds } = c.var.process
    return c.json({ deleted: worlds.all().reduce((sum, { journal }) => sum + journal.clear(), 0) }, 200)
  },

  async adminFindRequests(c) {
    return c.json(await newest(c.var.process, 1_000, requestConditions(c.req.valid('json'))), 200)
  },

  async adminCountRequests(c) {
    const { total } = await newest(c.var.process, 0, requestConditions(c.req.valid('json')))
    return c.json({ count: total }, 200)
  },

  async adminGetRequest(c) {
    const { id } = c.req.valid('param')
    const all = c.var.process.worlds.all()
    const found = all.flatMap(({ name, journal }): Recorded[] => {
      const entry = journal.get(id)
      return entry ? [{ world: name, entry }] : []
    })
    if (found.length === 0) throw notFound('request', id)
    return c.json({ requests: found.sort(newestFirst).map(view), total: found.length }, 200)
  },

  async adminReset(c) {
    const { worlds, defaults, disturbance } = c.var.process
    const all = worlds.all()
    const slice = await timeSlice(EVERYBODY)
    for (const { name, origin } of all) {
      if (slice.over) await slice.next()
      if (name === worlds.home || origin) await worlds.reset(name)
      else await worlds.drop(name)
    }
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
    const slice = await timeSlice(EVERYBODY)
    for (const world of all) {
      if (slice.over) await slice.next()
      if (world.closed) continue
      pending_jobs += await world.read(jobsOwed)
      failing_jobs += (await world.read(jobsFailing)).length
    }
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

interface Recorded {
  readonly world: string
  readonly entry: JournalEntry
}

const newestFirst = (a: Recorded, b: Recorded) => b.entry.at - a.entry.at

/** The newest requests of all worlds that meet a test, and how many there are; looked for in time slices. */
async function newest({ worlds }: Process, limit: number, test?: (entry: JournalEntry) => boolean) {
  let found: Recorded[] = []
  let total = 0
  const slice = await timeSlice(EVERYBODY)
  for (const { name, journal } of worlds.all()) {
    // Without a test only a world's own newest can be among those of all.
    if (!test) total += journal.size
    for (const entry of test ? journal.all() : journal.all().slice(-limit)) {
      if (slice.over) await slice.next()
      if (test && !test(entry)) continue
      if (test) total += 1
      found.push({ world: name, entry })
    }
    if (found.length > 2 * limit + MANY) found = found.sort(newestFirst).slice(0, limit)
  }
  return { requests: found.sort(newestFirst).slice(0, limit).map(view), total }
}

const view = ({ world, entry }: Recorded) => ({ world, request: requestView(entry) })

const settingsOf = ({ defaults, disturbance }: Process): AdminSettings => ({
  validation: defaults.current.validation,
  delay: disturbance.delay,
  chaos: disturbance.chaos,
})
