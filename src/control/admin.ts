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
    const all = entriesOf(c.var.process, () => true)
    return c.json({ requests: all.slice(0, limit).map(view), total: all.length }, 200)
  },

  async adminClearRequests(c) {
    const { worlds } = c.var.process
    return c.json({ deleted: worlds.all().reduce((sum, { journal }) => sum + journal.clear(), 0) }, 200)
  },

  async adminFindRequests(c) {
    const found = entriesOf(c.var.process, requestConditions(c.req.valid('json')))
    return c.json({ requests: found.slice(0, 1_000).map(view), total: found.length }, 200)
  },

  async adminCountRequests(c) {
    return c.json({ count: entriesOf(c.var.process, requestConditions(c.req.valid('json'))).length }, 200)
  },

  async adminGetRequest(c) {
    const { id } = c.req.valid('param')
    const found = entriesOf(c.var.process, (entry) => entry.id === id)
    if (found.length === 0) throw notFound('request', id)
    return c.json({ requests: found.map(view), total: found.length }, 200)
  },

  async adminReset(c) {
    const { worlds, defaults, disturbance } = c.var.process
    const all = worlds.all()
    for (const { name, origin } of all) {
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
    const owed = await Promise.all(all.map((world) => world.read(jobsOwed)))
    const failing = await Promise.all(all.map((world) => world.read(jobsFailing)))
    return c.json(
      {
        status: 'ok' as const,
        uptime_ms: wall() - started_at,
        worlds: all.length,
        pending_jobs: owed.reduce((sum, count) => sum + count, 0),
        failing_jobs: failing.reduce((sum, { length }) => sum + length, 0),
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

/** The requests of all worlds that meet a test, newest first. */
function entriesOf({ worlds }: Process, test: (entry: JournalEntry) => boolean) {
  return worlds
    .all()
    .flatMap(({ name, journal }) =>
      journal
        .all()
        .filter(test)
        .map((entry) => ({ world: name, entry })),
    )
    .sort((a, b) => b.entry.at - a.entry.at)
}

const view = ({ world, entry }: { world: string; entry: JournalEntry }) => ({
  world,
  request: requestView(entry),
})

const settingsOf = ({ defaults, disturbance }: Process): AdminSettings => ({
  validation: defaults.current.validation,
  delay: disturbance.delay,
  chaos: disturbance.chaos,
})
