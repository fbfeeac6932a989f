import type { ClockState } from '../../lib/clock/clock.ts'
import type { JournalEntry } from '../../storage/engine/journal.ts'
import type { Snapshot } from '../../storage/engine/snapshots.ts'
import type { WorldRows } from '../../storage/store/store.ts'

/** A world as `GET /sandbox/export` gives it, with its name. */
export interface WorldItem {
  readonly format: 'payments-sandbox-world'
  readonly version: 1
  readonly world: string
  /** When, on the world's clock. */
  readonly exported_at: string
  readonly clock: ClockState
  readonly rows: WorldRows
}

/** A snapshot of the world before it. */
export type SnapshotItem = Omit<Snapshot, 'bytes' | 'rows_version'> & {
  readonly format: 'payments-sandbox-snapshot'
  readonly version: 1
  readonly world: string
}

/** The requests on record of the world before it, without their secrets. */
export interface RequestsItem {
  readonly format: 'payments-sandbox-requests'
  readonly version: 1
  readonly world: string
  readonly requests: readonly JournalEntry[]
}

/** One line of a file of worlds. */
export type Item = WorldItem | SnapshotItem | RequestsItem

/** Where worlds are read from. */
export interface WorldSource {
  /** What it is called in messages. */
  readonly name: string
  worlds(): Promise<readonly string[]>
  /** What there is of a world, itself first. @throws NoWorld */
  itemsOf(world: string): AsyncIterable<Item>
  close(): Promise<void>
}

/** Where worlds are written to. */
export interface WorldTarget {
  /** What it is called in messages. */
  readonly name: string
  has(world: string): Promise<boolean>
  /** Puts rows in the place of a world's, or makes it. */
  putWorld(item: WorldItem): Promise<void>
  /** Answers whether such things are kept there. */
  putSnapshot(item: SnapshotItem): Promise<boolean>
  /** Answers whether such things are kept there. */
  putRequests(item: RequestsItem): Promise<boolean>
  close(): Promise<void>
}

/** There is no such world, or it cannot be reached; the message says what to do. */
export class NoWorld extends Error {
  override readonly name = 'NoWorld'
}
