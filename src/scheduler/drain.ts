import type { Wall } from '../lib/clock/clock.ts'
import type { World } from '../worlds/world.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'
import { sliceOf } from '../lib/clock/time-slice.ts'
import type { RunningParts } from './dispatcher.ts'
import { nextDue } from './job-performer.ts'

interface AlarmOptions {
  readonly works: WorldWorks
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  /** The world's first job is due. */
  readonly onDue: (world: World) => void
  /** The time is over until which another runner has the world's jobs. */
  readonly onStandbyEnd: (name: string) => void
}

/** Longer waits are cut in pieces, so that a leap of the machine's clock, or its waking up, is noticed in a minute. */
const LONGEST_WAIT = 60_000

/** In a world that stands still nothing runs by itself, not even what is due. */
const standsStill = (world: World) => world.clock.state.factor === 0

/** One timer for the first job of all worlds. */
export class Alarm {
  readonly #options: AlarmOptions
  #timer: NodeJS.Timeout | undefined
  #at = Infinity

  constructor(options: AlarmOptions) {
    this.#options = options
  }

  /** Sets the timer for a world's first job when it is sooner than what it is set for. */
  set(world: World): void {
    const { works } = this.#options
    const work = works.get(world.name)
    if (!work || works.closed || work.draining || work.loading || work.timeTravel) return
    this.ringIn(timeLeft(world, work))
  }

  /** Sets the timer for a look at all worlds in so many milliseconds, when that is sooner than what it is set for. */
  ringIn(left: number): void {
    const at = this.#options.wall() + left
    if (at >= this.#at) return
    clearTimeout(this.#timer)
    this.#at = at
    this.#timer = setTimeout(() => this.#ring(), Math.min(Math.max(left, 0), LONGEST_WAIT))
  }

  clear(): void {
    clearTimeout(this.#timer)
  }

  #ring(): void {
    this.#at = Infinity
    const { works, onDue, onStandbyEnd } = this.#options
    for (const [name, work] of works) {
      const world = this.#options.world(name)
      if (!world) continue
      if (timeLeft(world, work) > 0) this.set(world)
      else if (work.standbyUntil !== undefined) onStandbyEnd(name)
      else onDue(world)
    }
  }
}

/** Milliseconds on the wall until a world is worth a look; Infinity when it is not. */
function timeLeft(world: World, { queue, standbyUntil }: WorldWork): number {
  const { clock } = world
  if (standsStill(world)) return Infinity
  if (standbyUntil !== undefined) return standbyUntil - clock.wall()
  return queue.first ? clock.wallTimeOf(queue.first.at) - clock.wall() : Infinity
}

interface DrainOptions extends RunningParts {
  /** Told that another runner has the world's jobs, until then at least, milliseconds on the wall. */
  readonly onLost: (world: string, until: number) => void
  /** Told when nothing more is due. */
  readonly onEnd: (world: World) => void
}

/** Jobs of a world that are begun before the first of them is done. */
const MOST_AT_ONCE = 100

/** Runs what is due in a world by itself, in due order, until nothing is; one loop a world. */
export function createDrain(options: DrainOptions): (world: World) => void {
  const { works, performer, onEnd } = options
  return (world) => {
    const work = works.of(world.name)
    if (work.draining || work.loading || work.timeTravel || works.closed) return
    work.draining = drain(world, work, options)
      .catch((error: unknown) => performer.report(error, world, work))
      .finally(() => {
        work.draining = undefined
        onEnd(world)
      })
  }
}

async function drain(
  world: World,
  work: WorldWork,
  { works, leases, dispatchOf, performer, dispatcher, onLost }: DrainOptions,
): Promise<void> {
  const slice = sliceOf(world.name)
  const begun = new Set<Promise<string>>()
  const ended = async () => {
    await Promise.all(begun)
    begun.clear()
  }
  try {
    while (!works.closed && !work.timeTravel && !leases.isRequested(world.name)) {
      if (!leases.has(world.name)) {
        const { granted, until } = await leases.claim(world.name)
        if (!granted) return onLost(world.name, until)
      }
      const next = await nextDue(world, work, world.clock.now(), dispatchOf, performer)
      if (!next && begun.size === 0) return
      if (next?.dispatch) dispatcher.add(world, work, { ...next, dispatch: next.dispatch })
      // Jobs begin in due order. Some begin before the one before is done, so that the store keeps them together.
      else if (next) begun.add(performer.perform(world, work, next))
      if (!next || begun.size === MOST_AT_ONCE) await ended()
      if (slice.over) await slice.next()
    }
  } finally {
    await ended()
  }
}
