import type { Rank } from './order-index.ts'
import type { CountName, Key, LookupName, OrderName, Row, SmallTable, TableName } from './tables.ts'

/** The store accepts nothing and shows nothing, for now or for good; the message says why. */
export class StoreUnavailable extends Error {
  /** It will not be better until the process is started again. */
  readonly final: boolean

  constructor(message: string, { final = false, ...options }: ErrorOptions & { final?: boolean } = {}) {
    super(message, options)
    this.name = 'StoreUnavailable'
    this.final = final
  }
}

/** Compared for equality only. */
export type Generation = number | string

/** Tells what came before from what comes after, in one process. */
export type Moment = number

/** What this process has heard of so far is late enough. */
export const HEARD: Moment = -1

/** A consistent look at one world's rows: answers at once, from memory. */
export interface View {
  /**
   * Tells the world's rows from those that others took the place of, by `load` or because they could not be kept: keys
   * may be given out anew there. The same for every look and change in between, whoever makes it.
   */
  readonly generation: Generation
  /** Another number whenever a row of the table was written, within one generation: whether what was made of its rows holds still. */
  revision(table: TableName): number
  /** The row with this key, or undefined. */
  get<Name extends TableName>(table: Name, key: Key): Row<Name> | undefined
  /** The rows under a declared look-up's value, oldest row first; a replaced row keeps its age. */
  find<Name extends TableName>(table: Name, lookup: LookupName<Name>, value: Key): readonly Row<Name>[]
  /** At most `limit` of the rows under a look-up's value, newest first, after skipping `offset`. */
  newest<Name extends TableName>(
    table: Name,
    lookup: LookupName<Name>,
    value: Key,
    page: { readonly offset: number; readonly limit: number },
  ): readonly Row<Name>[]
  /** How many rows a group of a declared order or count has. */
  count<Name extends TableName>(table: Name, of: OrderName<Name> | CountName<Name>, group: Key): number
  /** `limit` rows of a group, skipping `offset`, ascending unless `newestFirst`. */
  walk<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    page: { readonly offset: number; readonly limit: number; readonly newestFirst?: boolean },
  ): readonly Row<Name>[]
  /** How many rows of a group come before a place of a declared order, and what they sum to where the order has sums. */
  rank<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    place: { readonly by: number; readonly key?: Key },
  ): Rank
  /** At most `limit` rows whose keys are lower than `before`, the highest first: a page of a list, newest first. */
  below<Name extends TableName>(
    table: Name,
    page: { readonly before: Key; readonly limit: number },
  ): readonly Row<Name>[]
  /**
   * The rows that were added since `mark` was given; all of them, and `anew`, when there is no mark or an older row was
   * replaced or taken out since.
   */
  since<Name extends TableName>(table: Name, mark?: Mark): Added<Row<Name>>
  /** Every row of a small table, oldest first. Others are looked up, walked in an order or read by the page; `dump` has all. */
  all<Name extends SmallTable>(table: Name): readonly Row<Name>[]
}

/** How far somebody has seen a table's rows. */
export interface Mark {
  readonly of: object
  readonly revision: number
  readonly slots: number
}

export interface Added<Row> {
  readonly rows: readonly Row[]
  readonly anew: boolean
  readonly mark: Mark
}

/** A view that also writes; what it writes is seen by its own later reads. */
export interface Change extends View {
  /** Adds a row. Throws when the key is taken. */
  insert<Name extends TableName>(table: Name, row: Row<Name>): void
  /** Adds a row or replaces the one with the same key. */
  put<Name extends TableName>(table: Name, row: Row<Name>): void
  /** Counts a row of `counters` up by one, from `start` when it is not there yet; returns where it is now. */
  increment(counter: string, start: number): number
  /** Takes a row out; nothing happens when there is none. */
  delete<Name extends TableName>(table: Name, key: Key): void
}

/**
 * What one change did to one row; `row` is undefined when it was deleted. A row deleted and added again in one
 * change is told of twice, in that order; one that came and went is not told of.
 */
export interface RowChange {
  readonly table: TableName
  readonly key: Key
  readonly row: Row<TableName> | undefined
}

/** All rows of a world, for seeds, snapshots and exports. */
export type WorldRows = { readonly [Name in TableName]?: readonly Row<Name>[] }

/** Refuses, where it is compiled, work that answers a promise: what it does later would not be part of the change. */
export type Synchronous<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? unknown : never

/** What became of a world: somebody made it, put other rows in the place of its own, or dropped it. */
export type WorldEvent = 'created' | 'replaced' | 'dropped'

export interface Store {
  /** The names of the worlds there are: loaded or written to, and not dropped since. */
  worlds(): Promise<readonly string[]>
  /**
   * Runs `work`, which nothing can interrupt, and keeps everything it wrote, or nothing when it throws (the error goes
   * through). Resolves when the rows are as safe as this store makes them; the next change does not wait for that.
   * Throws a StoreUnavailable when the rows could not be kept; nothing of them is then there, and everything is refused
   * until rows can be kept again.
   */
  change<T>(world: string, work: (change: Change) => T & Synchronous<T>): Promise<T>
  /**
   * Runs `work`, which nothing can interrupt; resolves when the rows it saw are safe.
   * @param since the moment of this process whose rows are late enough; now when left out
   */
  read<T>(world: string, work: (view: View) => T & Synchronous<T>, since?: Moment): Promise<T>
  /** Now. Reads since one moment share what they have to ask others for. */
  moment(): Moment
  /**
   * As `read`, for work that is too long for one turn of the event loop: changes and other reads of the same world wait
   * until it has ended. `work` must not ask for one: it would wait for itself.
   */
  readInSlices<T>(world: string, work: (view: View) => Promise<T>): Promise<T>
  /**
   * Replaces every row of a world; makes the world when there is none. The rows are taken as they are, not
   * copied. Throws, and changes nothing, when two rows of a table have one key.
   * @param since the version of the world that the rows are of: API keys that were revoked after it are revoked in the rows too
   */
  load(world: string, rows: WorldRows, since?: number): Promise<void>
  /** Every row of a world. */
  dump(world: string): Promise<WorldRows>
  /** The version of a world, as `onCommit` has it, as far as this process knows; 0 for one that is not there. */
  version(world: string): number
  /** What the rows of a world take in memory, bytes; a running sum, so asking costs nothing. 0 for one that is not there. */
  bytes(world: string): number
  /** The part of `bytes` that messages of inboxes take. */
  inboxBytes(world: string): number
  /** Forgets a world. */
  drop(world: string): Promise<void>
  /**
   * Calls `listener` after each change that wrote and was kept, when its rows are safe and before `change`
   * resolves, in the order of commits; not for `load` and `drop`. `version` counts the changes of the world that wrote: the
   * same for everybody who hears of one, higher for later ones, over loads too, until the world is dropped or the store
   * opened anew. The fault of a listener is neither the change's nor another's. Returns how to stop.
   */
  onCommit(listener: (world: string, written: readonly RowChange[], version: number) => void): () => void
  /** Why everything is refused for now; undefined while all is well. */
  readonly unavailable: StoreUnavailable | undefined
  /** Calls `listener` when everything was refused and is not any more. Returns how to stop. */
  onRecovered(listener: () => void): () => void
  /** Refuses new work, waits for what is running and writes what is owed. */
  close(): Promise<void>
}
