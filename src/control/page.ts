import type { Money } from '../generated/control/schemas.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { sliceOf, timeSlice } from '../lib/clock/time-slice.ts'
import type { Look } from '../service/domain/context.ts'
import { toMajor } from '../service/domain/money.ts'
import type { Row } from '../storage/store/tables.ts'

/** Tables whose rows are listed by the page: their ids rise with time. */
type Listed = 'postings' | 'callbacks' | 'mails' | 'transactions' | 'kycs' | 'certifications'

export interface Page<Item> {
  readonly rows: readonly Item[]
  /** What to send as `before` to read on; null at the end. */
  readonly next_before: number | null
}

/** How many rows are looked at before it is asked whether others have waited long enough. */
const A_LOOK = 1_000

/** Which page of a list. */
interface PageOf {
  /** Only rows with lower ids. */
  readonly before?: number | undefined
  readonly limit: number
  /** How many rows are looked at; a page that has fewer than `limit` of them then goes on where it ended. */
  readonly most?: number | undefined
}

/** How many rows a request reads that asks by what no look-up has. */
export const MOST_LOOKED_AT = 50_000

/**
 * A page of the rows that pass the test, newest first; looked for in time slices of the world, whose changes wait
 * meanwhile.
 */
export async function pageOf<Name extends Listed>(
  { rows }: Look,
  world: string,
  table: Name,
  { before = Infinity, limit, most = Infinity }: PageOf,
  test: (row: Row<Name>) => boolean = () => true,
): Promise<Page<Row<Name>>> {
  const slice = sliceOf(world)
  const found: Row<Name>[] = []
  let looked = 0
  for (let from = before; found.length <= limit;) {
    const some = rows.below(table, { before: from, limit: A_LOOK })
    for (const row of some) if (test(row)) found.push(row)
    if (some.length < A_LOOK) break
    from = some.at(-1)!.id
    looked += some.length
    if (looked >= most && found.length <= limit) return { rows: found, next_before: from }
    if (slice.over) await slice.next()
  }
  return cut(found, limit)
}

/** The first so many of a list that goes on. */
export function cut<Item extends { readonly id: number }>(list: readonly Item[], limit: number): Page<Item> {
  const rows = list.slice(0, limit)
  return { rows, next_before: list.length > limit ? rows.at(-1)!.id : null }
}

/**
 * Calls `visit` for each item, a slice of the event loop at a time, until it answers `false` or the client has left.
 * @param world whose work it is
 * @param left the client; without it the walk goes to the end
 */
export async function walk<Item>(
  world: string,
  items: Iterable<Item>,
  visit: (item: Item) => void | false | Promise<void>,
  left?: AbortSignal,
): Promise<void> {
  const slice = await timeSlice(world)
  for (const item of items) {
    if (slice.over) await slice.next()
    if (left?.aborted) return
    const more = visit(item)
    if (more === false) return
    if (more) await more
  }
}

/** An amount as lists show it. @param minor minor units of the currency */
export const moneyView = (minor: number, currency: string): Money => ({
  amount: toMajor(minor, currency),
  currency,
  minor,
})

/** A response with status 200 and this body. */
export const ok = <Body>(body: Body) => ({ status: 200 as const, body })

/** Types a group of handlers by their operation ids. */
export const handlers = <Group extends Partial<ControlHandlers>>(group: Group): Group => group
