import { timeSlice } from '../lib/clock/time-slice.ts'

/**
 * Calls `visit` for each item, a slice of the event loop at a time, until it answers `false` or the client has left.
 * @param world whose work it is
 * @param left the client; without it the walk goes to the end
 */
export async function walk<Item>(
  world: string,
  items: Iterable<Item>,
  visit: (item: Item) => void | false | Promise<void>,
  left?: AbortSignal,
): Promise<void> {
  const slice = await timeSlice(world)
  for (const item of items) {
    if (slice.over) await slice.next()
    if (left?.aborted) return
    const more = visit(item)
    if (more === false) return
    if (more) await more
  }
}
