import type { ClockState } from '../../lib/clock/clock.ts'
import type { WorldRows } from '../store/store.ts'

export interface Snapshot {
  readonly id: number
  readonly name: string
  /** Milliseconds on the world's clock when it was taken. */
  readonly at: number
  readonly clock: ClockState
  readonly rows: WorldRows
  /** The version of the world that the rows are of. */
  readonly rows_version: number
  /** What the rows take. */
  readonly bytes: number
}

/** The snapshots of worlds. They are kept over resets, and go with their world. */
export interface SnapshotStore {
  /** @returns it with its id, which none of the world's had before */
  add(world: string, snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot>
  /** Its rows as they are to be restored: API keys that were revoked since are so too. */
  get(world: string, id: number): Promise<Snapshot | undefined>
  /** Oldest first. */
  list(world: string): Promise<readonly Snapshot[]>
  /** @returns whether it was there */
  delete(world: string, id: number): Promise<boolean>
  /** Counts anew what others have done; undefined where nobody has to be asked. */
  look(world: string): Promise<void> | undefined
  /** How many a world has, and what their rows take in memory; a running sum, so asking costs nothing. As of the last look. */
  spent(world: string): { readonly count: number; readonly bytes: number }
}
