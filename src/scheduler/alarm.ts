import type { Wall } from '../lib/clock/clock.ts'
import type { World } from '../worlds/world.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

export interface AlarmOptions {
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
