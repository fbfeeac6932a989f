import type { Snapshot, SnapshotStore } from '../engine/snapshots.ts'

/** The snapshots of one world. */
export interface WorldSnapshots {
  add(snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot>
  get(id: number): Promise<Snapshot | undefined>
  list(): Promise<readonly Snapshot[]>
  delete(id: number): Promise<boolean>
  revoked(username: string, at: number): Promise<void>
  readonly count: number
  /** What the rows of all of them take, those they share with the world too. */
  readonly bytes: number
}

export const snapshotsOf = (store: SnapshotStore, world: string): WorldSnapshots => ({
  add: (snapshot) => store.add(world, snapshot),
  get: (id) => store.get(world, id),
  list: () => store.list(world),
  delete: (id) => store.delete(world, id),
  revoked: (username, at) => store.revoked(world, username, at),
  get count() {
    return store.spent(world).count
  },
  get bytes() {
    return store.spent(world).bytes
  },
})
