import type { Wall } from '../lib/clock/clock.ts'
import type { World } from '../worlds/world.ts'
import { WallTimer, type WorldWork, type WorldWorks } from './world-work.ts'
import { sliceOf } from '../lib/clock/time-slice.ts'
import type { RunningParts } from './dispatcher.ts'
import { nextDue } from './job-performer.ts'

interface AlarmOptions {
  readonly works: WorldWorks
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  readonly onDue: (world: World) => void
  readonly onStandbyEnd: (name: string) => void
}

export class Alarm {
  readonly #options: AlarmOptions
  readonly #timer: WallTimer

  constructor(options: AlarmOptions) {
    this.#options = options
    this.#timer = new WallTimer(options.wall, () => this.#ring())
  }

  set(world: World): void {
    const work = this.#options.works.get(world.name)
    if (!work || work.jobs === 'loading' || work.activity !== 'waiting') return
    const due = dueInRealTime(world, work)
    if (due < this.#timer.at) this.#timer.ringAt(due)
  }

  close(): void {
    this.#timer.close()
  }

  #ring(): void {
    const { works, wall, onDue, onStandbyEnd } = this.#options
    for (const [name, work] of works) {
      const world = this.#options.world(name)
      if (!world) continue
      if (dueInRealTime(world, work) > wall()) this.set(world)
      else if (work.jobs === 'standby') onStandbyEnd(name)
      else onDue(world)
    }
  }
}

/** Returns when to look at a world, milliseconds in real time; Infinity if its clock is stopped, which also stops overdue jobs. */
function dueInRealTime({ clock }: World, { queue, jobs, standbyUntil }: WorldWork): number {
  if (clock.state.factor === 0) return Infinity
  if (jobs === 'standby') return standbyUntil
  return queue.first ? clock.wallTimeOf(queue.first.at) : Infinity
}

interface DrainOptions extends RunningParts {
  /** Called when another process owns the world until at least that time, milliseconds in real time. */
  readonly onLost: (world: string, until: number) => void
  readonly onEnd: (world: World) => void
}

/** Maximum number of jobs of a world that run at the same time. */
const MOST_AT_ONCE = 100

/** Returns a function that runs the due jobs of a world in due order, one loop per world. */
export function createDrain(options: DrainOptions): (world: World) => void {
  const { works, performer, onEnd } = options
  return (world) => {
    const work = works.of(world.name)
    if (work.activity !== 'waiting' || work.jobs === 'loading' || works.closed) return
    work.activity = 'draining'
    work.draining = drain(world, work, options)
      .catch((error: unknown) => performer.report(error, world, work))
      .finally(() => {
        work.draining = undefined
        if (work.activity === 'draining') work.activity = 'waiting'
        onEnd(world)
      })
  }
}

async function drain(
  world: World,
  work: WorldWork,
  { works, ownership, dispatchOf, performer, dispatcher, onLost }: DrainOptions,
): Promise<void> {
  const slice = sliceOf(world.name)
  const begun = new Set<Promise<string>>()
  const ended = async () => {
    await Promise.all(begun)
    begun.clear()
  }
  try {
    while (!works.closed && work.activity === 'draining' && !ownership.isRequested(world.name)) {
      if (!ownership.has(world.name)) {
        const { granted, until } = await ownership.claim(world.name)
        if (!granted) return onLost(world.name, until)
      }
      const next = await nextDue(world, work, world.clock.now(), dispatchOf, performer)
      if (!next && begun.size === 0) return
      if (next?.dispatch) dispatcher.add(world, work, { ...next, dispatch: next.dispatch })
      // Jobs start in due order, without waiting for the previous one, so that the store writes them together.
      else if (next) begun.add(performer.perform(world, work, next))
      if (!next || begun.size === MOST_AT_ONCE) await ended()
      if (slice.over) await slice.next()
    }
  } finally {
    await ended()
  }
}
