import { scenarioList, setScenarioStep } from './scenarios.ts'
import { handlers, walk, ok, cut, timeOr } from './page.ts'
import type { AdminWorld } from '../generated/control/types.ts'
import { listOf } from '../http/handler.ts'
import { timeSlice } from '../lib/clock/clock.ts'
import { SCENARIO_STATE } from '../scenarios/library.ts'
import { noneLeft, notFound } from '../service/domain/errors.ts'
import { exactOrNull, exactTime } from '../service/domain/wire-time.ts'
import type { RecordOf, ListedWorld, WorldPlace } from '../storage/engine/worlds.ts'
import { differences, type ListedProcess } from '../storage/engine/shared-state.ts'
import { type JournalEntry, ReadRequest, requestView } from '../worlds/request-log.ts'
import { requestConditions, type RequestTest } from '../worlds/request-conditions.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { AuditActor, AuditQuery } from '../storage/engine/audit.ts'

/** The version of the simulated API (specification 9). */
const API_VERSION = '2.0.0'

export const admin = handlers((dependencies) => {
  const { worlds, registry, world_ttl, library, processSettings, processes } = dependencies
  const { wall, started_at, memory, metrics, version, node, stop } = dependencies
  const view = ({ name, used_at, created_at, bytes }: ListedWorld): AdminWorld => {
    const from = used_at ?? created_at
    return {
      name,
      last_used_at: exactOrNull(used_at),
      created_at: exactOrNull(created_at),
      expires_at: name === worlds.home || from === undefined ? null : exactTime(from + world_ttl),
      bytes,
    }
  }

  const worldOf = async (name = worlds.home): Promise<World> => {
    const world = await worlds.find(name)
    if (!world) throw notFound('world', name)
    return world
  }

  return {
    async adminListWorlds({ request: { query } }) {
      const { prefix = '', limit, after } = query
      const asked = { prefix, limit, after: after === undefined ? undefined : placeIn(after) }
      const found = await registry.list(asked)
      const last = found.worlds.at(-1)
      const isLast = last === undefined || found.worlds.length < limit
      return ok({
        worlds: found.worlds.map(view),
        total: found.total,
        next_after: isLast ? null : `${last.at} ${last.name}`,
      })
    },

    async adminSetPlan({ request: { path, body } }) {
      const { plan, ...rest } = body
      noneLeft(rest)
      const changed = await dependencies.guests.changePlan(await worldOf(path.world), plan ?? undefined)
      return ok({ plan, worlds: [...changed] })
    },

    async adminListScenarios({ request }) {
      return ok(await scenarioList(await worldOf(request.query.world), library()))
    },

    async adminSetScenarioState({ request: { path, query, body } }) {
      const state = await setScenarioStep(await worldOf(query.world), library(), path.name, body.step)
      return ok(state)
    },

    async adminResetScenarios() {
      const all = await worlds.names()
      await walk('/__admin', all, async (name) => {
        const world = await worlds.find(name)
        if (world && !world.closed) await world.change(({ rows }) => rows.delete('state', SCENARIO_STATE))
      })
      return ok({ worlds: all.length })
    },

    async adminListRequests({ request, left }) {
      const { limit } = request.query
      return found(await newest(worlds, undefined, limit, left))
    },

    async adminClearRequests() {
      let deleted = 0
      await walk(ADMIN, await worlds.directory.records(), async ({ record }) => {
        const cleared = await record.clear()
        deleted += cleared
      })
      return ok({ deleted })
    },

    async adminFindRequests({ request, left }) {
      const test = await requestConditions(request.body)
      return found(await newest(worlds, test, MOST_FOUND, left))
    },

    async adminCountRequests({ request, left }) {
      const test = await requestConditions(request.body)
      return ok({ count: (await newest(worlds, test, 0, left)).total })
    },

    async adminGetRequest({ request }) {
      const { id } = request.path
      const requests: Found[] = []
      await walk(ADMIN, await worlds.directory.records(), async ({ world, record }) => {
        const entry = await record.get(id)
        if (entry) requests.push({ world, entry })
      })
      if (requests.length === 0) throw notFound('request', id)
      return found({ requests: requests.sort(later), total: requests.length })
    },

    async adminReset() {
      const all = await worlds.directory.origins()
      const begin = async ({ name, made }: (typeof all)[number]) => {
        // A world without a template starts out empty, so dropping it equals a reset and does not open it.
        const isMade = made && (await worlds.find(name))?.template !== undefined
        await (name === worlds.home || isMade ? worlds.reset(name) : worlds.drop(name))
      }
      await walk(ADMIN, groupsOf(all, AT_ONCE), async (group) => void (await Promise.all(group.map(begin))))
      await processSettings.reset()
      return ok({ worlds: all.length })
    },

    async adminGetSettings() {
      return ok(await processSettings.current())
    },

    async adminUpdateSettings({ request }) {
      await processSettings.change(request.body)
      return ok(await processSettings.current())
    },

    async adminHealth() {
      const [count, owed] = await Promise.all([worlds.directory.count(), worlds.directory.owed()])
      return ok({
        status: 'ok' as const,
        uptime_ms: wall() - started_at,
        worlds: count,
        ...owed,
        memory_bytes: memory(),
        metrics,
      })
    },

    async adminVersion() {
      return ok({ name: 'payments-sandbox', version, api_version: API_VERSION, node })
    },

    async adminListProcesses() {
      const all = await processes.list()
      const own = all.find((each) => each.own)
      const view = (each: ListedProcess) => ({
        name: each.name,
        version: each.version,
        current: each.own,
        started_at: exactTime(each.since),
        last_seen_at: exactTime(each.seen),
        differences: own ? [...differences(own, each)] : [],
      })
      return ok({ processes: all.map(view) })
    },

    async adminShutdown() {
      stop()
      return ok({ status: 'closing' as const })
    },
  }
})

/** Time slices of this API count for this name, not for a world. */
const ADMIN = '/__admin'
const MOST_FOUND = 1_000
/** Worlds reset at the same time. With a database, each reset waits for several queries. */
const AT_ONCE = 8

function* groupsOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

interface Found {
  readonly world: string
  readonly entry: JournalEntry
}

const later = (a: Found, b: Found) => b.entry.at - a.entry.at

/** Returns the newest requests of all worlds that meet a test, and the total number of matches. */
async function newest(
  worlds: Worlds,
  test: RequestTest | undefined,
  most: number,
  left: AbortSignal,
): Promise<{ readonly requests: readonly Found[]; readonly total: number }> {
  let requests: Found[] = []
  let total = 0
  const look = (found: Found) => {
    if (test && !test(new ReadRequest(found.entry))) return
    total++
    requests.push(found)
    if (requests.length > 2 * most + 1_000) requests = requests.sort(later).slice(0, most)
  }
  await eachRequest(await worlds.directory.records(), look, left)
  return { requests: requests.sort(later).slice(0, most), total }
}

/** Visits every logged request in time slices, until the client disconnects. */
async function eachRequest(records: readonly RecordOf[], visit: (found: Found) => void, left: AbortSignal) {
  const slice = await timeSlice(ADMIN)
  for (const { world, record } of records)
    for (const entry of await record.all()) {
      if (slice.over) await slice.next()
      if (left.aborted) return
      visit({ world, entry })
    }
}

const found = ({ requests, total }: Awaited<ReturnType<typeof newest>>) => ({
  status: 200 as const,
  body: { total, requests: [] },
  list: listOf(requests, view),
})

const view = ({ world, entry }: Found) => ({ world, request: requestView(entry) })

function placeIn(text: string): WorldPlace {
  const gap = text.indexOf(' ')
  return { at: Number(text.slice(0, gap)), name: text.slice(gap + 1) }
}

export const auditHandlers = handlers(({ audit }) => {
  const reply = async ({ since, until, limit, ...query }: Asked, shown = (by: AuditActor) => by) => {
    const parsed = { since: timeOr(since), until: timeOr(until) }
    // One more entry than the page has, to know whether another page follows.
    const found = await audit.list({ ...query, ...parsed, limit: limit + 1 })
    const { rows, next_before } = cut(found, limit)
    const entries = rows.map(({ at, ...entry }) => ({
      ...entry,
      at: exactTime(at),
      actor: shown(entry.actor),
    }))
    return ok({ entries, next_before })
  }
  return {
    adminListAudit: ({ request }) => reply(request.query),
    listAudit: ({ world, request }) =>
      reply({ ...request.query, world: world.name }, (by) => shownTo(world.name, by)),
  }
})

interface Asked extends Omit<AuditQuery, 'since' | 'until'> {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Hides the address of actors other than the world's own keys, and the name of administrators. */
function shownTo(world: string, by: AuditActor): AuditActor {
  if (by.kind === 'key' && by.world === world) return by
  return { ...by, address: null, name: by.kind === 'admin' ? null : by.name }
}
