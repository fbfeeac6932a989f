import type { Config } from '../config/config.ts'
import { later, timeSlice } from '../lib/clock/clock.ts'
import { repeat } from '../lib/clock/after.ts'
import { EVERY_MINUTE, type Recurring, startRecurring } from '../scheduler/recurring.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { archiveOld } from '../service/domain/archive.ts'
import { checkLowBalances } from '../service/domain/mails.ts'
import { StoreUnavailable } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { Base } from './base.ts'

/** Milliseconds between two searches for idle worlds. Timers overflow after 24 days. */
const SWEEP_INTERVAL = { least: 1_000, most: 3_600_000 }

/** Milliseconds before the calendar is loaded, because that would delay the first responses. */
const CALENDAR_DELAY = 500

/**
 * Starts the calendar work: low-balance mails, archiving of old transactions, and the configured reset.
 * @returns a function that stops it
 */
export function startCalendar(
  { config: { resetCron, timeZone }, engine: { lock, isRemote = false }, log }: Base,
  worlds: Worlds,
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
  // With a shared database each process works on the worlds that it has open; doing it twice does no harm.
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
  const cancel = later(CALENDAR_DELAY, () => {
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

/** Archives expired transactions in time slices. A world without new transactions would otherwise never do so. */
export const archiveAll = (world: World): Promise<void> =>
  unlessClosed(world, async () => {
    const slice = await timeSlice(world.name)
    while (!world.closed && (await world.change((tx) => archiveOld(tx))) > 0)
      if (slice.over) await slice.next()
  })

/** Runs work on a world, and ignores its failure if the world was reset or dropped meanwhile, or its database is away. */
async function unlessClosed(world: World, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!world.closed && !(error instanceof StoreUnavailable)) throw error
  }
}

/** Drops worlds that were not called for their time to live. Returns a function that stops it. */
export function startSweeping(
  { config, engine: { lock }, initial: { plans }, time: { wall }, log }: Base,
  worlds: Worlds,
): () => void {
  const { worldTtl } = config
  const { least, most } = SWEEP_INTERVAL
  const ttls = [...plans.values()].map(({ ttl = Infinity }) => ttl)
  const every = Math.min(Math.max(Math.min(shortestTtl(config), ...ttls) / 10, least), most)
  const sweep = async () => {
    const dropped = await worlds.dropIdle(worldTtl)
    if (dropped.length > 0) log.info('idle worlds dropped', { count: dropped.length })
  }
  return repeat(every, () => {
    // Rounded, so that all processes use the same times although they started at different ones.
    lock
      .runOnce('sweep', Math.floor(wall() / every) * every, sweep)
      .catch((error: unknown) => log.error('idle worlds not dropped', { message: String(error) }))
  })
}

const shortestTtl = ({ worldTtl, signUp, signUpTtl, readerWorlds, readerTtl }: Config): number =>
  Math.min(worldTtl, signUp === 'off' ? Infinity : signUpTtl, readerWorlds === 'on' ? readerTtl : Infinity)

/** Milliseconds between two searches for worlds to close. */
const CLOSE_INTERVAL = { least: 100, most: 10_000 }
/** Milliseconds after a look-up in which a caller may not have used the world yet. */
const LOOKUP_GRACE = 5_000
/** The share of the memory limit above which unused worlds are closed. */
const FILLED = 0.75

/** Closes unused worlds, and more if there are too many or they use too much memory. Returns a function that stops it. */
export function startClosing(
  { config: { worldIdle, openWorlds }, time: { wall } }: Base,
  worlds: Worlds,
  scheduler: Pick<Scheduler, 'isIdle' | 'forget'>,
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
      const isUnused =
        (isOld || now - found >= LOOKUP_GRACE) && !world.isInUse && scheduler.isIdle(world.name)
      if (isUnused) {
        excess -= 1
        bytes -= world.bytes
      }
      return isUnused
    })
    for (const name of closed) scheduler.forget(name)
  }
  const { least, most } = CLOSE_INTERVAL
  return repeat(Math.min(Math.max(worldIdle / 10, least), most), close)
}
