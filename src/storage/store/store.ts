import type { Rank } from './order-index.ts'
import type { CountName, Key, LookupName, OrderName, Row, SmallTable, TableName } from './tables.ts'

/** The store rejects everything, temporarily or until restarted; the message contains the reason. */
export class StoreUnavailable extends Error {
  /** True if only a restart helps. */
  readonly final: boolean

  constructor(message: string, { final = false, ...options }: ErrorOptions & { final?: boolean } = {}) {
    super(message, options)
    this.name = 'StoreUnavailable'
    this.final = final
  }
}

/** Compared for equality only. */
export type Generation = number | string

/** A point in time of this process. */
export type Moment = number

/** Reads whatever this process knows already, without asking the database. */
export const HEARD: Moment = -1

/** A consistent view of one world's rows in memory. */
export interface View {
  /**
   * Changes when all rows are replaced, by `load` or because they could not be stored: keys may be reused from then on. The
   * same for all views and changes in between.
   */
  readonly generation: Generation
  /** Changes with every write to the table within a generation; for caches derived from its rows. */
  revision(table: TableName): number
  get<Name extends TableName>(table: Name, key: Key): Row<Name> | undefined
  /** Returns the rows with a lookup value, oldest first; replacing a row does not change its age. */
  find<Name extends TableName>(table: Name, lookup: LookupName<Name>, value: Key): readonly Row<Name>[]
  /** Returns up to `limit` rows with a lookup value, newest first, after skipping `offset`. */
  newest<Name extends TableName>(
    table: Name,
    lookup: LookupName<Name>,
    value: Key,
    page: { readonly offset: number; readonly limit: number },
  ): readonly Row<Name>[]
  /** Returns the number of rows in a group of an order or count. */
  count<Name extends TableName>(table: Name, of: OrderName<Name> | CountName<Name>, group: Key): number
  /** Returns `limit` rows of a group after skipping `offset`, ascending unless `newestFirst`. */
  walk<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    page: { readonly offset: number; readonly limit: number; readonly newestFirst?: boolean },
  ): readonly Row<Name>[]
  /** Returns the number of rows before a position of an order, and their sum if the order has sums. */
  rank<Name extends TableName>(
    table: Name,
    order: OrderName<Name>,
    group: Key,
    place: { readonly by: number; readonly key?: Key },
  ): Rank
  /** Returns up to `limit` rows with keys below `before`, highest first: a page of a list, newest first. */
  below<Name extends TableName>(
    table: Name,
    page: { readonly before: Key; readonly limit: number },
  ): readonly Row<Name>[]
  /** Returns the rows added since `mark`; all of them, with `anew`, if there is no mark or an older row was changed. */
  since<Name extends TableName>(table: Name, mark?: Mark): Added<Row<Name>>
  /** Returns every row of a small table, oldest first. Only `dump` returns all rows of the others. */
  all<Name extends SmallTable>(table: Name): readonly Row<Name>[]
}

/** How far a reader has read a table. */
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

/** A view that also writes; its reads see its own writes. */
export interface Change extends View {
  /** @throws {Error} If the key exists. */
  insert<Name extends TableName>(table: Name, row: Row<Name>): void
  /** Adds a row or replaces the one with the same key. */
  put<Name extends TableName>(table: Name, row: Row<Name>): void
  /** Increments a counter, which begins at `start`, and returns its new value. */
  increment(counter: string, start: number): number
  /** Deletes a row if it exists. */
  delete<Name extends TableName>(table: Name, key: Key): void
}

/**
 * The change of one row; `row` is undefined if it was deleted. A row that was deleted and added again appears twice, in that
 * order; one that was added and deleted again does not appear.
 */
export interface RowChange {
  readonly table: TableName
  readonly key: Key
  readonly row: Row<TableName> | undefined
}

/** All rows of a world, for seeds, snapshots and exports. */
export type WorldRows = { readonly [Name in TableName]?: readonly Row<Name>[] }

/** Rejects asynchronous work at compile time: its later steps would not be part of the change. */
export type Synchronous<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? unknown : never

/** `replaced`: all rows were replaced by `load`. */
export type WorldEvent = 'created' | 'replaced' | 'dropped'

export interface Store {
  /** Returns the names of all worlds. */
  worlds(): Promise<readonly string[]>
  /**
   * Runs `work` synchronously and stores everything it wrote, or nothing if it throws. Resolves when the rows are stored; the
   * next change does not wait for that.
   * @throws {StoreUnavailable} If the rows could not be stored. Then everything is rejected until rows can be stored again.
   */
  change<T>(world: string, work: (change: Change) => T & Synchronous<T>): Promise<T>
  /**
   * Runs `work` synchronously; resolves when the rows it read are stored.
   * @param since - How recent the rows must be; now if omitted.
   */
  read<T>(world: string, work: (view: View) => T & Synchronous<T>, since?: Moment): Promise<T>
  /** Returns the current moment. Reads since the same moment share one query to the database. */
  moment(): Moment
  /**
   * Like `read`, for long work: changes and other reads of the world wait until it ends. `work` must not start one, which
   * would deadlock.
   */
  readInSlices<T>(world: string, work: (view: View) => Promise<T>): Promise<T>
  /**
   * Replaces all rows of a world, or creates it. The rows are not copied. Throws, and changes nothing, if two rows of a table
   * have the same key.
   * @param since - The version of the world that the rows are from: API keys revoked later are revoked in the rows too.
   */
  load(world: string, rows: WorldRows, since?: number): Promise<void>
  dump(world: string): Promise<WorldRows>
  /** Returns the version of a world as in `onCommit`, as far as this process knows; 0 if it does not exist. */
  version(world: string): number
  /** Returns the memory that a world's rows take, bytes; a running sum. 0 if it does not exist. */
  bytes(world: string): number
  /** The part of `bytes` for messages in inboxes. */
  inboxBytes(world: string): number
  drop(world: string): Promise<void>
  /**
   * Calls `listener` after each change, when its rows are stored and before `change` resolves, in the order of commits; not
   * for `load` and `drop`. `version` counts the changes of the world: it is the same in all processes and rises until the
   * world is dropped or the store reopened. Returns a function that removes the listener.
   */
  onCommit(listener: (world: string, written: readonly RowChange[], version: number) => void): () => void
  /** Why everything is rejected at the moment. */
  readonly unavailable: StoreUnavailable | undefined
  /** Calls `listener` when the store is available again. Returns a function that removes it. */
  onRecovered(listener: () => void): () => void
  /** Rejects new work, waits for running work and writes what is pending. */
  close(): Promise<void>
}
