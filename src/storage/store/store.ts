import type { Added, Change, Mark, RowChange, View } from './change.ts'
import type { WorldRows } from './tables.ts'

export type { Added, Change, Mark, RowChange, View, WorldRows }

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
export type Generation = number

/** A point in time of this process. */
export type Moment = number

/** Reads from memory, without a query to the database. */
export const HEARD: Moment = -1

/** Rejects asynchronous work at compile time: its later steps would not be part of the change. */
export type Synchronous<T> = [Extract<T, PromiseLike<unknown>>] extends [never] ? unknown : never

/** `replaced`: all rows were replaced by `load`. */
export type WorldEvent = 'created' | 'replaced' | 'dropped'

export interface Store {
  worlds(): Promise<readonly string[]>
  /**
   * Runs `work` synchronously and stores everything it wrote, or nothing if it throws. Returns a promise if it waits for
   * other work or until the rows are stored, and if it fails: it never throws. The next change does not wait for that.
   * @throws {StoreUnavailable} If the rows could not be stored. Then everything is rejected until rows can be stored again.
   */
  change<T>(world: string, work: (change: Change) => T & Synchronous<T>): T | Promise<T>
  /**
   * Runs `work` synchronously. Returns a promise if it waits for other work or until the rows it read are stored, and if it fails.
   * @param since - How recent the rows must be; now if omitted.
   */
  read<T>(world: string, work: (view: View) => T & Synchronous<T>, since?: Moment): T | Promise<T>
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
  inboxBytes(world: string): number
  drop(world: string): Promise<void>
  /**
   * Calls `listener` after each change, when its rows are stored and before `change` resolves, in the order of commits; not
   * for `load` and `drop`. `version` counts the changes of the world: it is the same in all processes and rises until the
   * world is dropped or the store reopened. Returns a function that removes the listener.
   */
  onCommit(listener: (world: string, written: readonly RowChange[], version: number) => void): () => void
  readonly unavailable: StoreUnavailable | undefined
  /** Calls `listener` when the store is available again. Returns a function that removes it. */
  onRecovered(listener: () => void): () => void
  /** Rejects new work, waits for running work and writes what is pending. */
  close(): Promise<void>
}

/** When API keys were revoked, on the world's clock, by username. */
export type Revoked = ReadonlyMap<string, number>

export function revokedIn(written: readonly RowChange[]): Revoked {
  const revoked = new Map<string, number>()
  for (const { table, row } of written) {
    if (table !== 'apiKeys' || !row) continue
    const { username, revoked_at } = row as NonNullable<WorldRows['apiKeys']>[number]
    if (revoked_at !== null) revoked.set(username, revoked_at)
  }
  return revoked
}

/** Returns the keys of these rows that are not yet revoked but should be, with their `revoked_at`. */
export const stillValid = (
  { apiKeys = [] }: WorldRows,
  revoked: Revoked,
): NonNullable<WorldRows['apiKeys']> =>
  apiKeys.flatMap((key) => {
    const revoked_at = revoked.get(key.username)
    return key.revoked_at === null && revoked_at !== undefined ? [{ ...key, revoked_at }] : []
  })

export function withRevoked(rows: WorldRows, revoked: Revoked): WorldRows {
  const changed = new Map(stillValid(rows, revoked).map((key) => [key.username, key]))
  if (changed.size === 0) return rows
  return { ...rows, apiKeys: rows.apiKeys!.map((key) => changed.get(key.username) ?? key) }
}

/** Maximum number of revoked keys remembered per world; the oldest is dropped first. */
const MOST_REMEMBERED = 10_000

/** The keys revoked in each world, each with the version of the world that revoked it. */
export class RevokedKeys {
  readonly #worlds = new Map<string, Map<string, { readonly at: number; readonly version: number }>>()

  note(world: string, written: readonly RowChange[], version: number): void {
    for (const [username, at] of revokedIn(written)) {
      const known = this.#worlds.get(world) ?? new Map<string, { at: number; version: number }>()
      this.#worlds.set(world, known)
      known.delete(username)
      known.set(username, { at, version })
      if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!)
    }
  }

  since(world: string, version: number): Revoked {
    const known = [...(this.#worlds.get(world) ?? [])].filter(([, revoked]) => revoked.version > version)
    return new Map(known.map(([username, { at }]) => [username, at]))
  }

  drop(world: string): void {
    this.#worlds.delete(world)
  }
}
