import { type Wall, systemWall } from '../../../lib/clock/clock.ts'
import type { ProcessCard, Processes } from '../processes.ts'

/** The process itself. */
export function createMemoryProcesses(wall: Wall = systemWall): Processes {
  const since = wall()
  let own: (() => ProcessCard) | undefined
  return {
    join: (card) => void (own ??= card),
    list: async () => (own ? [{ ...own(), own: true, since, seen: wall() }] : []),
  }
}
