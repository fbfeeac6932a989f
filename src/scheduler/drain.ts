import type { World } from '../worlds/world.ts'
import type { WorldWork } from './world-work.ts'
import { sliceOf } from '../lib/clock/time-slice.ts'
import type { SchedulerParts } from './takeover.ts'
import { nextDue } from './job-performer.ts'

/** Maximum number of jobs of a world that run at the same time. */
const MOST_AT_ONCE = 100

/** Returns a function that runs the due jobs of a world in due order, one loop per world. */
export function createDrain(options: SchedulerParts): (world: World) => void {
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
  { works, ownership, dispatchOf, performer, dispatcher, onLost }: SchedulerParts,
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
