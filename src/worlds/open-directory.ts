import { sliceOf } from '../lib/clock/time-slice.ts'
import { failingJobs, pendingJobs } from '../service/domain/context.ts'
import type { OwnedPage, OwnedQuery, WorldDirectory, WorldRegistry } from '../storage/engine/worlds.ts'
import type { World } from './world.ts'
import type { WorldCache } from './world-cache.ts'
/** Tells of worlds that are all open here. @param home the default world, in whose name it takes time */
export function openDirectory(cache: WorldCache, registry: WorldRegistry, home: string): WorldDirectory {
  /** Calls `visit` with each world that stays, a slice of the event loop at a time, until it answers true. */
  const each = async (visit: (world: World) => Promise<boolean | void>) => {
    const slice = sliceOf(home)
    for (const world of cache.all()) {
      if (slice.over) await slice.next()
      if (!world.closed && (await visit(world)) === true) return
    }
  }
  return {
    count: () => cache.size,

    async origins() {
      return [...cache.all()].map(({ name, template }) => ({ name, made: template !== undefined }))
    },

    async owed() {
      const sum = { pending_jobs: 0, failing_jobs: 0 }
      await each(async (world) => {
        const [pending, failing] = await world.read(
          (look) => [pendingJobs(look), failingJobs(look).length] as const,
        )
        sum.pending_jobs += pending
        sum.failing_jobs += failing
      })
      return sum
    },

    async lag(now) {
      let most = 0
      await each(async (world) => {
        const [job] = await firstJob(world)
        if (job) most = Math.max(most, now - world.clock.wallTimeOf(job.due_at))
      })
      return most
    },

    async owned(query) {
      const own = [...cache.all()]
        .filter((world) => isOwned(world, query))
        .sort((a, b) => a.number - b.number)
      return pageOf(own, query)
    },

    async unused(since, until, guest = null) {
      const names: string[] = []
      const isUnused = ({ used_at, template }: World) =>
        used_at <= since && (template?.guest ?? null) === guest
      await each(async (world) => {
        if (!isUnused(world) || !(await owesNothing(world, until))) return
        if (((await registry.lastUsed(world.name)) ?? -Infinity) <= since) names.push(world.name)
      })
      return names
    },

    async guests() {
      return [...cache.all()].flatMap(({ template, used_at }) =>
        template?.guest ? [{ parent: template.parent, guest: template.guest, used_at }] : [],
      )
    },

    async invited(token) {
      let found: string | undefined
      await each(async (world) => {
        if (await world.read(({ rows }) => rows.get('invites', token) !== undefined)) found = world.name
        return found !== undefined
      })
      return found
    },

    async records() {
      return [...cache.all()].map(({ name, journal }) => ({ world: name, record: journal }))
    },

    async entry() {
      return undefined
    },
  }
}

const firstJob = (world: World) =>
  world.read(({ rows }) => rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 }))

/** Whether no job of a world is due by then. On a clock that stands still no job ever is. */
export async function owesNothing(world: World, until: number): Promise<boolean> {
  const [next] = await firstJob(world)
  return !next || world.clock.wallTimeOf(next.due_at) > until
}

function isOwned({ name, template, settings }: World, { owner, isHome, search }: OwnedQuery): boolean {
  const isHis = name === owner || (template ? template.parent === owner : isHome)
  return isHis && (search === '' || `${settings.name ?? ''}\n${name}`.toLowerCase().includes(search))
}

function pageOf(own: readonly World[], { before, limit }: OwnedQuery): OwnedPage {
  const older = own.filter(({ number }) => number < before)
  const page = older.slice(-limit)
  const next_before = older.length > page.length ? page[0]!.number : null
  return { names: page.map(({ name }) => name), total: own.length, next_before }
}
