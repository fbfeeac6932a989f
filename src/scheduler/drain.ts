import { sliceOf } from '../lib/clock/time-slice.ts'
import type { World } from '../worlds/world.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { JobPerformer } from './job-performer.ts'
import type { Leases } from './leases.ts'
import { nextDue } from './next-due.ts'
import type { DispatchOf } from './job.ts'
import type { WorldWork, WorldWorks } from './world-work.ts'

export interface DrainOptions {
  readonly works: WorldWorks
  readonly leases: Leases
  readonly dispatchOf: DispatchOf
  readonly performer: JobPerformer
  readonly dispatcher: Dispatcher
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
