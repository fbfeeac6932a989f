import type { Clock, ClockState } from '../lib/clock/clock.ts'
import { boundedTime, FIRST_TIME, LAST_TIME } from '../lib/clock/bounds.ts'
import { requireOwner } from '../service/domain/access.ts'
import { invalid, noneLeft, notFound } from '../service/domain/errors.ts'
import { pendingJobs } from '../service/domain/context.ts'
import type { CreatedWorld, CreateWorldRequest } from '../generated/control/schemas.ts'
import { keepFor } from '../worlds/populate/amounts.ts'
import { makeWorld } from '../worlds/new-world.ts'
import { requireSound } from '../worlds/seed-check.ts'
import { mergeChanges } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { ControlDependencies } from './dependencies.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import { releasePayments } from '../scheduler/time-travel.ts'
import { settingsChange } from './settings-change.ts'
import { worldDetails, worldView } from './world-view.ts'

type Handlers = Pick<
  ControlHandlers,
  'listWorlds' | 'createWorld' | 'getWorld' | 'updateWorld' | 'deleteWorld' | 'resetWorld'
>

export const worldHandlers = (dependencies: ControlDependencies): Handlers => {
  const { worlds, defaults } = dependencies
  return {
    async listWorlds(call) {
      const { world } = call
      const { before = Infinity, limit = 100, search = '' } = call.request.query
      const { names, ...page } = await worlds.directory.owned({
        owner: world.name,
        isHome: world.name === worlds.home,
        before,
        limit,
        search: search.toLowerCase(),
      })
      const found = await Promise.all(names.map((name) => worlds.find(name)))
      const views = await Promise.all(
        found.filter((each) => each !== undefined).map((each) => worldView(each, worlds.home)),
      )
      return { status: 200, body: { worlds: views, ...page } }
    },

    async createWorld(call) {
      const { world: parent } = call
      const { name, seed, settings: given, clock, populate: asked_for, ...rest } = call.request.body
      const populate = asked_for ?? seed?.populate
      const plain = name === undefined ? given : { ...given, name }
      const asked = populate ? { keep: keepFor(populate), ...plain } : plain
      noneLeft(rest)
      if (seed) requireSound(seed)
      const settings = asked && settingsChange(asked, defaults.current)
      const made = await dependencies.guests.beside(parent, () =>
        makeWorld(dependencies, {
          parent,
          seed,
          settings: seed ? mergeChanges({ tiers: seed.tiers, costs: seed.costs }, settings ?? {}) : settings,
          clock: clock && clockState(clock, parent.clock),
          populate,
        }),
      )
      return { status: 201, body: await createdWorld(dependencies, made, call.origin) }
    },

    async getWorld(call) {
      const { world: own, caller } = call
      const { world: id } = call.request.path
      if (id !== 'current' && id !== own.name) await own.read((look) => requireOwner(look, caller))
      return { status: 200, body: await worldDetails(await requireWorld(worlds, own, id), worlds.home, call) }
    },

    async updateWorld(call) {
      const world = await requireWorld(worlds, call.world, call.request.path.world)
      await world.configure(settingsChange(call.request.body, defaults.current))
      if (call.request.body.payer !== undefined) await releasePayments(world)
      return { status: 200, body: await worldDetails(world, worlds.home, call) }
    },

    async deleteWorld(call) {
      const world = await requireWorld(worlds, call.world, call.request.path.world)
      if (world.name === worlds.home)
        throw invalid(`world ${world.name} is the default one and stays; reset it with POST /sandbox/reset`)
      await worlds.drop(world.name)
      return { status: 200, body: { deleted: 1 } }
    },

    async resetWorld(call) {
      const { world } = call
      return { status: 200, body: await begunAgain(world, () => worlds.reset(world.name)) }
    },
  }
}

/** A world that was made, with all that its owner needs. @param origin where its requests go */
export async function createdWorld(
  { worlds, inboxes, firstSecret }: Pick<ControlDependencies, 'worlds' | 'inboxes' | 'firstSecret'>,
  { world, api_keys }: Awaited<ReturnType<typeof makeWorld>>,
  origin: string,
): Promise<CreatedWorld> {
  return {
    world: await worldView(world, worlds.home),
    credentials: api_keys[0]!,
    api_keys: [...api_keys],
    base_url: origin,
    inbox_url: inboxes.address(origin, world.name, 'default'),
    signing_secret: firstSecret(world.name),
  }
}

/** Puts other rows in a world's place and says what came of it. */
export async function begunAgain(world: World, work: () => Promise<World>) {
  const cancelled_jobs = await world.read(pendingJobs)
  const fresh = await work()
  return { id: fresh.name, cancelled_jobs, now: exactTime(fresh.clock.now()) }
}

/** A world that the caller looks after. @throws ServiceError 404 for another's world */
async function requireWorld(worlds: Worlds, own: World, id: string): Promise<World> {
  const found = id === 'current' ? own : await worlds.find(id)
  if (!found || !looksAfter(worlds, own, found)) throw notFound('world', id)
  return found
}

/** One's own world, those made from it, and for the default world its copies, which share its password. */
function looksAfter({ home }: Worlds, owned: World, world: World): boolean {
  if (world.name === owned.name) return true
  return world.template ? world.template.parent === owned.name : owned.name === home
}

function clockState(
  { at, factor }: NonNullable<CreateWorldRequest['clock']>,
  { wall }: Clock,
): ClockState | undefined {
  if (at === undefined && factor === undefined) return undefined
  const world_anchor = at === undefined ? wall() : Date.parse(at)
  if (world_anchor !== boundedTime(world_anchor))
    throw invalid(`clock.at must be from ${exactTime(FIRST_TIME)} to ${exactTime(LAST_TIME)}, got "${at}"`)
  return { wall_anchor: wall(), world_anchor, factor: factor ?? 0 }
}
