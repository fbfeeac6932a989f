import type { Wall } from '../lib/clock/clock.ts'
import { repeat } from '../lib/clock/repeat.ts'
import type { Config } from '../config/config.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Worlds } from '../worlds/worlds.ts'

/** How often is looked for worlds to close at least and at most, milliseconds. */
const LEAST = 100
const MOST = 10_000
/** Who has just asked for a world may not have begun with it yet, milliseconds. */
const BEGINNING = 5_000
/** So much of the memory that worlds may take is left for those that are in use. */
const FILLED = 0.75

/** Closes worlds that nobody uses, and what is beyond the number and the memory there may be. Returns how to stop. */
export function startClosing(
  { worldIdle, openWorlds }: Pick<Config, 'worldIdle' | 'openWorlds'>,
  worlds: Worlds,
  scheduler: Pick<Scheduler, 'isIdle' | 'forget'>,
  wall: Wall,
): () => void {
  const close = () => {
    const now = wall()
    const { limit } = worlds.memory
    let excess = worlds.all().length - openWorlds
    let bytes = limit === Infinity ? 0 : worlds.memory.used() - FILLED * limit
    const closed = worlds.closeUnused((world, found) => {
      const isOld = now - Math.max(found, world.used_at) >= worldIdle
      const isTooMuch = excess > 0 || bytes > 0
      if (!isOld && !isTooMuch) return undefined
      const isUnused = (isOld || now - found >= BEGINNING) && !world.isInUse && scheduler.isIdle(world.name)
      if (isUnused) {
        excess -= 1
        bytes -= world.bytes
      }
      return isUnused
    })
    for (const name of closed) scheduler.forget(name)
  }
  return repeat(Math.min(Math.max(worldIdle / 10, LEAST), MOST), close)
}
