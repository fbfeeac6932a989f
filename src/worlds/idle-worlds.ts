import type { Wall } from '../lib/clock/clock.ts'
import { sliceOf } from '../lib/clock/time-slice.ts'
import type { WorldDirectory } from '../storage/engine/worlds.ts'
import { owesNothing } from './open-directory.ts'
import type { Guest } from './template.ts'
import type { World } from './world.ts'
import type { WorldCache } from './world-cache.ts'
/** Milliseconds between two looks for worlds that can go to make room. */
const SWEPT_EVERY = 1_000

export interface IdleOptions {
  readonly cache: WorldCache
  readonly directory: WorldDirectory
  /** The default world, which never goes. */
  readonly home: string
  readonly wall: Wall
  /** How long worlds for people who are not known live, milliseconds. */
  readonly guestTtl: (guest: Guest) => number
  readonly drop: (name: string) => Promise<void>
}

/** Drops worlds that nobody calls and in which nothing is about to happen. */
export function idleWorlds({ cache, directory, home, wall, guestTtl, drop }: IdleOptions) {
  let swept = -Infinity
  let sweeping: Promise<unknown> | undefined

  /** Somebody may have come back to one that is open here. */
  const isUnusedStill = async (world: World, ttl: number) =>
    !world.closed && !world.isInUse && wall() - world.used_at >= ttl && owesNothing(world, wall() + ttl)

  /** @param most how long nobody has called them, milliseconds; of those for guests so long as theirs live @returns their names */
  const dropIdle = async (most: number): Promise<readonly string[]> => {
    const dropped = []
    const slice = sliceOf(home)
    for (const guest of [null, 'sign-up', 'reader'] as const) {
      const ttl = guest ? guestTtl(guest) : most
      for (const name of await directory.unused(wall() - ttl, wall() + ttl, guest)) {
        if (slice.over) await slice.next()
        const world = cache.get(name)
        if (name === home || (world && !(await isUnusedStill(world, ttl)))) continue
        await drop(name)
        dropped.push(name)
      }
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
