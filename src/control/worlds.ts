import type { Clock, ClockState } from '../clock.ts'
import { invalid, notFound, ServiceError } from '../domain/errors.ts'
import { jobsOwed } from '../domain/jobs.ts'
import type { NewWorld, World as WorldView } from '../generated/control/schemas.ts'
import { originOf } from '../http/origin.ts'
import { makeWorld } from '../worlds/new-world.ts'
import { requireSound } from '../worlds/seed-check.ts'
import { mergeChanges } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { ControlHandlers } from './handlers.ts'
import type { ControlParts } from './parts.ts'
import { settingsChange } from './settings-change.ts'
import { walk } from './walk.ts'
import { worldView } from './world-view.ts'

export const worlds = ({
  inboxes,
}: ControlParts): Pick<
  ControlHandlers,
  'listWorlds' | 'createWorld' | 'getWorld' | 'updateWorld' | 'deleteWorld' | 'resetWorld'
> => ({
  async listWorlds(c) {
    const { world, process } = c.var
    const worlds: WorldView[] = []
    await walk(world.name, process.worlds.all(), async (each) => {
      if (!each.closed && looksAfter(process.worlds, world, each))
        worlds.push(await worldView(each, process.worlds.home))
    })
    return c.json({ worlds }, 200)
  },

  async createWorld(c) {
    const { world: parent, process } = c.var
    const { seed, settings: asked, clock } = c.req.valid('json')
    if (seed) requireSound(seed)
    const settings = asked && settingsChange(asked, process.defaults.current)
    const { world, api_keys } = await makeWorld(process, {
      parent,
      seed,
      settings: seed ? mergeChanges({ tiers: seed.tiers, costs: seed.costs }, settings ?? {}) : settings,
      clock: clock && clockState(clock, parent.clock),
    })
    const base_url = originOf(c.req.url)
    return c.json(
      {
        world: await worldView(world, process.worlds.home),
        credentials: api_keys[0]!,
        api_keys: [...api_keys],
        base_url,
        inbox_url: inboxes.address(base_url, world.name, 'default'),
      },
      201,
    )
  },

  async getWorld(c) {
    const world = requireWorld(c.var, c.req.valid('param').world)
    return c.json(await worldView(world, c.var.process.worlds.home), 200)
  },

  async updateWorld(c) {
    const world = requireWorld(c.var, c.req.valid('param').world)
    await world.configure(settingsChange(c.req.valid('json'), c.var.process.defaults.current))
    return c.json(await worldView(world, c.var.process.worlds.home), 200)
  },

  async deleteWorld(c) {
    const { worlds } = c.var.process
    const world = requireWorld(c.var, c.req.valid('param').world)
    if (world.name === worlds.home)
      throw invalid(`world ${world.name} is the default one and stays; reset it with POST /sandbox/reset`)
    await worlds.drop(world.name)
    return c.json({ deleted: 1 }, 200)
  },

  async resetWorld(c) {
    const { world, process } = c.var
    return c.json(await begunAgain(world, () => process.worlds.reset(world.name)), 200)
  },
})

/** Puts other rows in a world's place and says what came of it. */
export async function begunAgain(world: World, work: () => Promise<World>) {
  const cancelled_jobs = await world.read(jobsOwed)
  const fresh = await work()
  return { id: fresh.name, cancelled_jobs, now: new Date(fresh.clock.now()).toISOString() }
}

/** A world that the caller looks after. @throws ServiceError 404 for another's world */
function requireWorld({ world, process }: { world: World; process: { worlds: Worlds } }, id: string): World {
  const found = id === 'current' ? world : process.worlds.get(id)
  if (!found || !looksAfter(process.worlds, world, found)) throw notFound('world', id)
  return found
}

/** One's own world, those made from it, and for the default world its copies, which share its password. */
function looksAfter({ home }: Worlds, owned: World, world: World): boolean {
  if (world.name === owned.name) return true
  return world.origin ? world.origin.parent === owned.name : owned.name === home
}

function clockState({ at, factor }: NonNullable<NewWorld['clock']>, { wall }: Clock): ClockState | undefined {
  if (at === undefined && factor === undefined) return undefined
  const world_anchor = at === undefined ? wall() : Date.parse(at)
  if (Number.isNaN(world_anchor)) throw new ServiceError('invalid_argument', `clock.at "${at}" is no time`)
  return { wall_anchor: wall(), world_anchor, factor: factor ?? 0 }
}
