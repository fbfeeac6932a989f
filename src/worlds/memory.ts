/** What all worlds take together: more worlds times a world's budget than the machine has may be promised, never taken. */
import { formatBytes } from '../lib/text/bytes.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { ServiceError } from '../service/domain/errors.ts'
import type { World } from './world.ts'

export interface Memory {
  /** What all worlds take, bytes. */
  used(): number
  /** Infinity when there is no limit. */
  readonly limit: number
  /** @throws ServiceError 503 when the worlds take all they may together */
  requireRoom(): void
}

/** An untouched world: its tables, indexes and listeners. */
const WORLD = 16_384
/** A sum is good for this long, milliseconds. */
const FRESH = 250

export const bytesOfWorld = ({ bytes, journal, events, snapshots, budget }: World): number =>
  WORLD + bytes + journal.bytes + events.bytes + snapshots.bytes + budget.atOnce('bodies')

/** @param grown returns the bytes that the heap has grown by, in a process that has nothing but the worlds in it */
export function createMemory(
  limit: number,
  wall: Wall,
  all: () => Iterable<World>,
  grown: () => number = () => 0,
): Memory {
  let sum = 0
  let summedAt = -Infinity
  const used = () => {
    // Without the cache of compiled patterns, which is bounded and which no call could empty.
    sum = 0
    for (const world of all()) sum += bytesOfWorld(world)
    summedAt = wall()
    return sum
  }
  return {
    used,
    limit,
    requireRoom() {
      if (limit === Infinity) return
      if (Math.abs(wall() - summedAt) >= FRESH) used()
      const taken = Math.max(sum, grown())
      if (taken < limit) return
      throw new ServiceError(
        'unavailable',
        `all worlds together take ${formatBytes(taken)} of ${formatBytes(limit)} (SANDBOX_MAX_MEMORY); DELETE /sandbox/worlds/{world}, POST /sandbox/reset or DELETE /sandbox/snapshots/{id} give room back`,
      )
    },
  }
}
