/**
 * Cooperative scheduling of long work: loops without a small bound run in slices, one per turn of the event loop, so that requests
 * are answered in between.
 */

/** Maximum length of a slice, milliseconds. */
const LENGTH = 8

export interface TimeSlice {
  /** Whether the slice is used up and `next` must be called. Cheap enough to check for every row. */
  readonly over: boolean
  /** Resolves when the work has its next slice, in a later turn of the event loop. Worlds take turns. */
  next(): Promise<void>
}

/** Waiting work by world; the first world has the next turn. */
const waiting = new Map<string, (() => void)[]>()
let taken = false

/**
 * Resolves with a slice, immediately if no other work has this turn's.
 * @param world - Worlds take turns, however much work each has.
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

/** Returns a slice that begins immediately, for work that is mostly short. Later slices wait for their turn. */
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

/** Gives the next turn to the world with the longest time since its last one. */
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
