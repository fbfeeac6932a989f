import type { ClockState } from '../../lib/clock/clock.ts'
import type { WorldRows } from '../store/change.ts'

export interface Snapshot {
  readonly id: number
  readonly name: string
  readonly at: number
  readonly clock: ClockState
  readonly rows: WorldRows
  /** The version of the world. */
  readonly rows_version: number
  readonly bytes: number
}

/** The snapshots of worlds. They survive resets and are deleted with their world. */
export interface SnapshotStore {
  /** @returns the snapshot with a new id */
  add(world: string, snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot>
  /** Returns the rows to restore, in which API keys revoked since are revoked too. */
  get(world: string, id: number): Promise<Snapshot | undefined>
  list(world: string): Promise<readonly Snapshot[]>
  delete(world: string, id: number): Promise<boolean>
  look(world: string): Promise<void> | undefined
  /** Number and memory of a world's snapshots, as of the last `look`. */
  spent(world: string): { readonly count: number; readonly bytes: number }
}
