import { timeSlice } from '../lib/clock/time-slice.ts'
import type { Look } from '../service/domain/context.ts'
import { linesOf, type PostingLine } from '../storage/store/posting-lines.ts'
import type { BalanceRow, PostingRow } from '../storage/store/payment-rows.ts'
import type { Added, Mark } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'

/** What the postings up to a mark come to. They are never changed, so that they need to be summed only once. */
interface Summed {
  readonly mark: Mark
  readonly sums: ReadonlyMap<string, number>
  /** The lines of each came to zero. */
  readonly zero: boolean
  readonly count: number
}

export interface Proof {
  readonly balanced: boolean
  readonly checked_postings: number
}

const summed = new WeakMap<World, Summed>()

/** What of the ledger is to be summed, and what it must come to: both of one moment. */
export interface ToProve {
  readonly before: Summed | undefined
  readonly added: Added<PostingRow>
  /** What the postings come to that are kept no longer; whenever it changes, postings have gone, and all are summed anew. */
  readonly carried: readonly BalanceRow[]
  readonly balances: readonly BalanceRow[]
}

export function toProve(world: World, { rows }: Look): ToProve {
  const known = summed.get(world)
  const added = rows.since('postings', known?.mark)
  const before = added.anew ? undefined : known
  return { before, added, carried: rows.all('carried'), balances: rows.all('balances') }
}

/**
 * Sums the ledger: every posting to zero, every account to the balance on record. What was summed before and is as it was
 * counts; the rest is walked over in time slices.
 */
export async function prove(world: World, { before, added, carried, balances }: ToProve): Promise<Proof> {
  const sums = new Map(before?.sums)
  let zero = before?.zero ?? true
  const add = (lines: readonly PostingLine[]) => {
    let total = 0
    for (const { account, amount } of lines) {
      total += amount
      sums.set(account, (sums.get(account) ?? 0) + amount)
    }
    zero &&= total === 0
  }
  if (!before)
    for (const currency of new Set(carried.map((row) => row.currency)))
      add(carried.filter((row) => row.currency === currency))
  const slice = await timeSlice(world.name)
  for (const posting of added.rows) {
    if (slice.over) await slice.next()
    add(linesOf(posting))
  }
  const count = (before?.count ?? 0) + added.rows.length
  summed.set(world, { mark: added.mark, sums, zero, count })
  const agree =
    balances.length === sums.size && balances.every((balance) => sums.get(balance.account) === balance.amount)
  return { balanced: zero && agree, checked_postings: count }
}
