import type { ClockState } from '../../lib/clock/clock.ts'
import type { StoredRows, WorldRows } from '../store/change.ts'

export interface SnapshotHead {
  readonly id: number
  readonly name: string
  readonly at: number
  readonly clock: ClockState
  /** The version of the world. */
  readonly rows_version: number
  /** The number of rows, and the memory that they take. */
  readonly count: number
  readonly bytes: number
}

export interface Snapshot extends SnapshotHead {
  readonly rows: WorldRows
  readonly stored?: StoredRows
}

/** The snapshots of worlds. They survive resets and are deleted with their world. */
export interface SnapshotStore {
  /** Takes a snapshot of the rows of a world as they are stored now. */
  take(world: string, about: Pick<Snapshot, 'name' | 'at' | 'clock'>): Promise<SnapshotHead>
  /** Adds a snapshot of other rows. */
  add(world: string, snapshot: Omit<Snapshot, 'id' | 'count' | 'stored'>): Promise<SnapshotHead>
  /** Returns the rows to restore, in which API keys revoked since are revoked too. */
  get(world: string, id: number): Promise<Snapshot | undefined>
  list(world: string): Promise<readonly SnapshotHead[]>
  delete(world: string, id: number): Promise<boolean>
  look(world: string): Promise<void> | undefined
  /** Number and memory of a world's snapshots, as of the last `look`. */
  spent(world: string): { readonly count: number; readonly bytes: number }
}
