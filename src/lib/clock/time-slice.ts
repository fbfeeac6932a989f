/**
 * Cooperative scheduling of long work: whatever walks over rows or entries without a small bound does it in slices, and
 * one slice runs in a turn of the event loop, whoever asked for it. Requests are answered between the turns.
 */

/** How long a slice may hold the event loop, milliseconds. */
const LENGTH = 8

/** A share of the event loop; taken with `timeSlice`. */
export interface TimeSlice {
  /** The slice is used up: `next` before going on. Cheap enough to ask for every row. */
  readonly over: boolean
  /** Resolves when the work has its next slice: in a later turn of the event loop, by worlds in rotation. */
  next(): Promise<void>
}

/** Who waits for a slice, by world; the first of the map has the next turn. */
const waiting = new Map<string, (() => void)[]>()
/** The slice of this turn of the event loop is taken. */
let taken = false

/**
 * Resolves with a share of the event loop, at once when nobody has this turn's.
 * @param world whose work it is; worlds take turns, however much work each has
 * @example
 * const slice = await timeSlice(world.name)
 * for (const row of rows) {
 *   if (slice.over) await slice.next()
 *   visit(row)
 * }
 */
export async function timeSlice(world: string): Promise<TimeSlice> {
  await turn(world)
  return sliceOf(world)
}

/**
 * A slice that begins at once, whoever has this turn's: for work that is mostly short and must not wait then. Once it is
 * over it takes its turn like any other.
 */
export function sliceOf(world: string): TimeSlice {
  let ends = performance.now() + LENGTH
  return {
    get over() {
      return performance.now() >= ends
    },
    async next() {
      await turn(world)
      ends = performance.now() + LENGTH
    },
  }
}

/** Maps a list in time slices. */
export async function mapInSlices<From, To>(
  list: readonly From[],
  slice: TimeSlice,
  map: (item: From) => To,
): Promise<To[]> {
  const mapped: To[] = []
  for (const item of list) {
    if (slice.over) await slice.next()
    mapped.push(map(item))
  }
  return mapped
}

function turn(world: string): Promise<void> | undefined {
  if (!taken) return void take()
  return new Promise((resolve) => {
    const line = waiting.get(world)
    if (line) line.push(resolve)
    else waiting.set(world, [resolve])
  })
}

function take(): void {
  taken = true
  setImmediate(passOn)
}

/** Gives the turn that begins to the world that has waited longest since its last. */
function passOn(): void {
  taken = false
  const first = waiting.entries().next().value
  if (!first) return
  const [world, line] = first
  const resume = line.shift()!
  waiting.delete(world)
  if (line.length > 0) waiting.set(world, line)
  take()
  resume()
}
