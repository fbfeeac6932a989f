import type { Wall } from '../clock.ts'
import { sliceOf } from '../clock/time-slice.ts'
import type { WorldRegistry } from '../engine/world-registry.ts'
import type { Guest } from './template.ts'
import type { World } from './world.ts'
import type { WorldCache } from './world-cache.ts'

/** Milliseconds between two looks for worlds that can go to make room. */
const SWEPT_EVERY = 1_000

export interface IdleOptions {
  readonly cache: WorldCache
  readonly registry: WorldRegistry
  /** The default world, which never goes. */
  readonly home: string
  readonly wall: Wall
  /** How long worlds for people who are not known live, milliseconds. */
  readonly guestTtl: (guest: Guest) => number
  readonly drop: (name: string) => Promise<void>
}

/** Drops worlds that nobody calls and in which nothing is about to happen. */
export function idleWorlds({ cache, registry, home, wall, guestTtl, drop }: IdleOptions) {
  let swept = -Infinity
  let sweeping: Promise<unknown> | undefined

  const isUnused = (world: World, ttl: number) =>
    world.name !== home && !world.closed && wall() - world.used_at >= ttl
  const isUnusedAnywhere = async ({ name }: World, ttl: number) =>
    wall() - ((await registry.lastUsed(name)) ?? -Infinity) >= ttl
  const owesNothing = async (world: World, ttl: number) => {
    const [next] = await world.read(({ rows }) => rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 }))
    // What is due soon is worth waiting for; work of a clock that stands still never falls due.
    return !next || world.clock.wallTimeOf(next.due_at) > wall() + ttl
  }

  /** @param most how long nobody has called them, milliseconds @returns their names */
  const dropIdle = async (most: number): Promise<readonly string[]> => {
    const dropped = []
    const slice = sliceOf(home)
    for (const world of cache.all()) {
      const guest = world.template?.guest
      const ttl = guest ? guestTtl(guest) : most
      if (!isUnused(world, ttl)) continue
      if (slice.over) await slice.next()
      if (!isUnused(world, ttl) || !(await owesNothing(world, ttl))) continue
      if (!(await isUnusedAnywhere(world, ttl))) continue
      await drop(world.name)
      dropped.push(world.name)
    }
    return dropped
  }
  return {
    dropIdle,
    /** The same to make room; whoever finds none in the next second is refused without a look at every world. */
    async makeRoom(ttl: number): Promise<void> {
      if (!sweeping && Math.abs(wall() - swept) >= SWEPT_EVERY) {
        swept = wall()
        sweeping = dropIdle(ttl)
      }
      await sweeping?.finally(() => (sweeping = undefined))
    },
  }
}
