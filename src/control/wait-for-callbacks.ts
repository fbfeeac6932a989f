import { timeSlice } from '../lib/clock/time-slice.ts'
import type { Look } from '../service/domain/context.ts'
import type { CallbackRow, TransactionRow } from '../storage/store/payment-rows.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { callbackDetails } from './callback-views.ts'
import { type Waiting, waitIn } from './waiting.ts'

/** How many callbacks an answer has at most; the newest. */
export const MOST_TOLD = 1_000

export interface WantedCallbacks {
  /** Any identifier of a transaction, the newest if several share it; if omitted, callbacks of all transactions fit. */
  readonly reference: string | undefined
  readonly fits: (row: CallbackRow) => boolean
  readonly count: number
}

type Details = readonly ReturnType<typeof callbackDetails>[]

/**
 * The callbacks that are wanted, as soon as there are so many; undefined when the time is over or the client has left. Each
 * is looked at once at the beginning, and then when it is written.
 * @param timeout milliseconds on the wall
 */
export async function untilThere(
  call: Waiting,
  worlds: Worlds,
  wanted: WantedCallbacks,
  timeout: number,
): Promise<Details | undefined> {
  const { world } = call
  const { reference, fits, count } = wanted
  const fitting = new Set<number>()
  const there = async () => (fitting.size < count ? undefined : detailsOf(world, fitting, wanted))
  const note = async (rows: readonly CallbackRow[]) => {
    for (const { id } of rows) fitting.delete(id)
    const fit = rows.filter(fits)
    const about = await world.read((look) => fit.filter(amongAbout(look, reference)))
    for (const { id } of about) fitting.add(id)
  }
  let noted: (noting: Promise<void>) => void = (noting) => void noting.catch(() => {})
  const stop = world.onCommit((written) => {
    const rows = written.flatMap(({ table, row }) =>
      table === 'callbacks' && row ? [row as CallbackRow] : [],
    )
    if (rows.length > 0) noted(note(rows))
  })
  try {
    const looking = firstLook(world, wanted, fitting)
    if (timeout > 0) {
      const found = await waitIn<Details>(call, worlds, timeout, (found, failed) => {
        const check = () => there().then((details) => details && found(details))
        noted = (noting) => void noting.then(check).catch(failed)
        noted(looking)
        return () => {}
      })
      if (found) return found
    }
    // The time may be over before the first look is.
    await looking
    return await there()
  } finally {
    stop()
  }
}

const firstLook = (world: World, { reference, fits }: WantedCallbacks, fitting: Set<number>) =>
  world.readInSlices(async (look) => {
    const slice = await timeSlice(world.name)
    for (const row of callbacksOver(look, reference)) {
      if (slice.over) await slice.next()
      if (fits(row)) fitting.add(row.id)
    }
  })

/** What is told of the callbacks that fit still; undefined when there are too few of them by now. */
const detailsOf = (world: World, fitting: Set<number>, { reference, fits, count }: WantedCallbacks) =>
  world.readInSlices(async (look) => {
    const details = []
    const about = amongAbout(look, reference)
    const slice = await timeSlice(world.name)
    for (const id of [...fitting].sort((a, b) => a - b).slice(-MOST_TOLD)) {
      if (slice.over) await slice.next()
      const row = look.rows.get('callbacks', id)
      // A newer transaction with the same reference may have come meanwhile.
      if (row && fits(row) && about(row)) details.push(callbackDetails(look, world.name, row))
      else fitting.delete(id)
    }
    return details.length < count ? undefined : details
  })

/** Returns a test for callbacks of the newest transaction with this reference. */
function amongAbout(look: Look, reference: string | undefined): (callback: CallbackRow) => boolean {
  if (reference === undefined) return () => true
  const [newest] = transactionsCalled(look, reference, 1)
  return ({ transaction_id }) => transaction_id === newest?.id
}

/** Returns the transactions with this reference, newest first. */
export const transactionsCalled = (
  { rows }: Look,
  reference: string,
  limit: number,
): readonly TransactionRow[] => rows.newest('transactions', 'identifier', reference, { offset: 0, limit })

/** Returns the callbacks of the newest transaction with this reference, oldest first; undefined if no reference is given. */
export function callbacksOfNewest(
  look: Look,
  reference: string | undefined,
): readonly CallbackRow[] | undefined {
  if (reference === undefined) return undefined
  const [newest] = transactionsCalled(look, reference, 1)
  return newest ? look.rows.find('callbacks', 'transaction', newest.id).toSorted((a, b) => a.id - b.id) : []
}

/** Returns the callbacks of a transaction, or all that are over: their order is short, since a world forgets the oldest. */
export function callbacksOver(look: Look, reference: string | undefined): readonly CallbackRow[] {
  const about = callbacksOfNewest(look, reference)
  if (about) return about
  const over = look.rows.walk('callbacks', 'over', 1, { offset: 0, limit: Infinity })
  return over.toSorted((a, b) => a.id - b.id)
}
