import { later, timeSlice } from '../lib/clock/clock.ts'
import { EVERY_MINUTE, type Recurring, startRecurring } from '../scheduler/recurring.ts'
import { archiveOld } from '../service/domain/archive.ts'
import { checkLowBalances } from '../service/domain/mails.ts'
import { StoreUnavailable } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { Base } from './base.ts'

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
