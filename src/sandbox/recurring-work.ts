import type { Config } from '../config/config.ts'
import { later, type Wall } from '../lib/clock/clock.ts'
import { repeat } from '../lib/clock/repeat.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import type { Log } from '../lib/log/log.ts'
import { EVERY_MINUTE, type Recurring, startRecurring } from '../scheduler/recurring.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { archiveOld } from '../service/domain/archive.ts'
import { checkLowBalances } from '../service/domain/mails.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { Locks } from '../storage/engine/shared-state.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'

/** How often idle worlds are looked for at most, milliseconds. */
const LEAST_SWEEP = 1_000
/** How seldom at least; a timer cannot count much further than to 24 days, and goes off at once beyond. */
const MOST_SWEEP = 3_600_000

/** Loading what does calendar work would delay the first answers; it waits this long, milliseconds. */
const FIRST_ANSWERS = 500

/** Starts the work of the calendar: low-balance mails, archiving of old transactions, and the reset when one is set. Returns how to stop. */
export function startCalendar(
  { resetCron, timeZone }: Config,
  worlds: Worlds,
  { lock, isRemote = false }: Pick<Engine, 'lock' | 'isRemote'>,
  log: Log,
): () => Promise<void> {
  const lowBalances = async () => {
    const slice = await timeSlice(worlds.home)
    for (const world of worlds.all()) {
      if (slice.over) await slice.next()
      await unlessClosed(world, () => mailLowBalances(world))
    }
  }
  const retention = async () => {
    for (const world of worlds.all()) await archiveAll(world)
  }
  const reset = async () => {
    await worlds.reset(worlds.home)
    log.info('reset', { world: worlds.home })
  }
  const once = (name: string, at: string, work: () => Promise<void>): Recurring => ({
    name,
    at,
    run: async (due_at) => void (await lock.runOnce(name, due_at, work)),
  })
  // Of worlds far away each process does its own, those that it has open; done twice is as done once.
  const each: typeof once = isRemote ? (name, at, work) => ({ name, at, run: work }) : once
  const works = [
    each('low balances', EVERY_MINUTE, lowBalances),
    each('retention', EVERY_MINUTE, retention),
    ...(resetCron === null ? [] : [once('reset', resetCron, reset)]),
  ]
  const options = {
    timeZone,
    onError: (error: unknown, name: string) =>
      log.error('recurring work failed', { name, message: String(error) }),
  }
  let started: Promise<() => void> | undefined
  const cancel = later(FIRST_ANSWERS, () => {
    started = startRecurring(works, options)
  })
  return async () => {
    cancel()
    ;(await started)?.()
  }
}

async function mailLowBalances(world: World): Promise<void> {
  await world.budget.look()
  const left = world.budget.left('mails')
  if (world.closed || left === 0) return
  const mails = await world.change((tx) => checkLowBalances(tx, left))
  for (let n = 0; n < mails; n++) await world.budget.wait('mails')
}

/** Archives all that a world keeps no longer, in slices of time: without it the last transactions of a quiet world would never go. */
export const archiveAll = (world: World): Promise<void> =>
  unlessClosed(world, async () => {
    const slice = await timeSlice(world.name)
    while (!world.closed && (await world.change((tx) => archiveOld(tx))) > 0)
      if (slice.over) await slice.next()
  })

/** Does something to a world; where that was reset or went meanwhile there is nothing left to do, and nothing went wrong. */
async function unlessClosed(world: World, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!world.closed) throw error
  }
}

/** Drops worlds that nobody has called for their time to live. Returns how to stop. */
export function startSweeping(config: Config, worlds: Worlds, lock: Locks, wall: Wall, log: Log): () => void {
  const { worldTtl } = config
  const every = Math.min(Math.max(shortestTtl(config) / 10, LEAST_SWEEP), MOST_SWEEP)
  const sweep = async () => {
    const dropped = await worlds.dropIdle(worldTtl)
    if (dropped.length > 0) log.info('idle worlds dropped', { count: dropped.length })
  }
  return repeat(every, () => {
    // Processes begin at different times, so a time that they share is the start of its interval.
    lock
      .runOnce('sweep', Math.floor(wall() / every) * every, sweep)
      .catch((error: unknown) => log.error('idle worlds not dropped', { message: String(error) }))
  })
}

const shortestTtl = ({ worldTtl, signUp, signUpTtl, readerWorlds, readerTtl }: Config): number =>
  Math.min(worldTtl, signUp === 'off' ? Infinity : signUpTtl, readerWorlds === 'on' ? readerTtl : Infinity)

/** How often is looked for worlds to close at least and at most, milliseconds. */
const LEAST = 100
const MOST = 10_000
/** Who has just asked for a world may not have begun with it yet, milliseconds. */
const BEGINNING = 5_000
/** So much of the memory that worlds may take is left for those that are in use. */
const FILLED = 0.75

/** Closes worlds that nobody uses, and what is beyond the number and the memory there may be. Returns how to stop. */
export function startClosing(
  { worldIdle, openWorlds }: Pick<Config, 'worldIdle' | 'openWorlds'>,
  worlds: Worlds,
  scheduler: Pick<Scheduler, 'isIdle' | 'forget'>,
  wall: Wall,
): () => void {
  const close = () => {
    const now = wall()
    const { limit } = worlds.memory
    let excess = worlds.all().length - openWorlds
    let bytes = limit === Infinity ? 0 : worlds.memory.used() - FILLED * limit
    const closed = worlds.closeUnused((world, found) => {
      const isOld = now - Math.max(found, world.used_at) >= worldIdle
      const isTooMuch = excess > 0 || bytes > 0
      if (!isOld && !isTooMuch) return undefined
      const isUnused = (isOld || now - found >= BEGINNING) && !world.isInUse && scheduler.isIdle(world.name)
      if (isUnused) {
        excess -= 1
        bytes -= world.bytes
      }
      return isUnused
    })
    for (const name of closed) scheduler.forget(name)
  }
  return repeat(Math.min(Math.max(worldIdle / 10, LEAST), MOST), close)
}
