import type { ControlDependencies } from './dependencies.ts'
import type { Money } from '../generated/control/types.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { sliceOf, timeSlice } from '../lib/clock/clock.ts'
import type { Look } from '../service/domain/context.ts'
import { toMajor } from '../service/domain/money.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { Row } from '../storage/store/tables.ts'
import type { World } from '../worlds/world.ts'

/** Types a group of handlers by their operation ids. */
export const handlers = <Group extends Partial<ControlHandlers>>(
  group: (dependencies: ControlDependencies) => Group,
) => group

export const ok = <Body>(body: Body) => ({ status: 200 as const, body })

/** Tables that can be listed by page: their ids rise with time. */
type Listed = 'postings' | 'callbacks' | 'mails' | 'transactions' | 'kycs' | 'certifications'

export interface Page<Item> {
  readonly rows: readonly Item[]
  /** The `before` of the next page; null on the last page. */
  readonly next_before: number | null
}

/** Rows read between two checks of the time slice. */
const BATCH = 1_000

interface PageQuery {
  /** Only rows with lower ids. */
  readonly before?: number | undefined
  readonly limit?: number | undefined
  /** Maximum number of rows to read. The page may then have fewer rows than `limit` although more follow. */
  readonly most?: number | undefined
}

/** Maximum number of rows that a request reads when no index covers its filter. */
export const MOST_LOOKED_AT = 50_000

/** Returns a page of the rows that pass the test, newest first. Reads in time slices. */
export async function pageOf<Name extends Listed>(
  { rows }: Look,
  world: string,
  table: Name,
  { before = Infinity, limit = 100, most = Infinity }: PageQuery,
  test: (row: Row<Name>) => boolean = () => true,
): Promise<Page<Row<Name>>> {
  const slice = sliceOf(world)
  const found: Row<Name>[] = []
  let read = 0
  for (let from = before; found.length <= limit;) {
    const batch = rows.below(table, { before: from, limit: BATCH })
    for (const row of batch) if (test(row)) found.push(row)
    if (batch.length < BATCH) break
    from = batch.at(-1)!.id
    read += batch.length
    if (read >= most && found.length <= limit) return { rows: found, next_before: from }
    if (slice.over) await slice.next()
  }
  return cut(found, limit)
}

/**
 * Returns a page of the transactions with an identifier or of a party that pass the test, newest first. Clients may reuse an
 * identifier any number of times.
 */
export function pageOfTransactions(
  { rows }: Look,
  by: 'identifier' | 'party',
  key: string,
  { before = Infinity, limit = 100, most = Infinity }: PageQuery,
  test: (row: TransactionRow) => boolean,
): Page<TransactionRow> {
  const found: TransactionRow[] = []
  for (let read = 0; found.length <= limit;) {
    const batch = rows.newest('transactions', by, key, { offset: read, limit: BATCH })
    found.push(...batch.filter((row) => row.id < before && test(row)))
    if (batch.length < BATCH) break
    read += batch.length
    if (read >= most && found.length <= limit) return { rows: found, next_before: batch.at(-1)!.id }
  }
  return cut(found, limit)
}

/** Reads a page of a world's table as `pageOf` does, and renders its rows. */
export const viewsOf = <Name extends Listed, View>(
  world: World,
  table: Name,
  query: PageQuery,
  test: (row: Row<Name>) => boolean,
  view: (row: Row<Name>, look: Look) => View,
): Promise<{ views: View[]; next_before: number | null }> =>
  world.readInSlices(async (look) => {
    const { rows, next_before } = await pageOf(look, world.name, table, query, test)
    return { views: rows.map((row) => view(row, look)), next_before }
  })

/** Cuts a page off a list that has at least one more item if another page follows. */
export function cut<Item extends { readonly id: number }>(list: readonly Item[], limit: number): Page<Item> {
  const rows = list.slice(0, limit)
  return { rows, next_before: list.length > limit ? rows.at(-1)!.id : null }
}

/** Returns a test for rows that have every value of the filter; undefined values match any row. */
export function matching(filter: { readonly [name: string]: unknown }): (row: object) => boolean {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined)
  return (row) => wanted.every(([name, value]) => (row as typeof filter)[name] === value)
}

export const timeOr = <Default = undefined>(text: string | undefined, otherwise?: Default) =>
  text === undefined ? (otherwise as Default) : Date.parse(text)

/**
 * Calls `visit` for each item in time slices of the event loop, until it returns `false` or the client disconnects.
 * @param world - the world that the time counts for
 * @param left - aborted when the client disconnects
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

/** An amount in the form that lists return. @param minor - minor units of the currency */
export const moneyView = (minor: number, currency: string): Money => ({
  amount: toMajor(minor, currency),
  currency,
  minor,
})
