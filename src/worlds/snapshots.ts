import type { Snapshot, SnapshotStore } from '../storage/engine/snapshots.ts'

/** The snapshots of one world. */
export interface WorldSnapshots {
  add(snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot>
  get(id: number): Promise<Snapshot | undefined>
  list(): Promise<readonly Snapshot[]>
  delete(id: number): Promise<boolean>
  /** As `SnapshotStore.look`: before it is told how many there are. */
  look(): Promise<void> | undefined
  readonly count: number
  /** What the rows of all of them take, those they share with the world too. */
  readonly bytes: number
}

export const snapshotsOf = (store: SnapshotStore, world: string): WorldSnapshots =>
  new SnapshotsOfWorld(store, world)

class SnapshotsOfWorld implements WorldSnapshots {
  readonly #store: SnapshotStore
  readonly #world: string

  constructor(store: SnapshotStore, world: string) {
    this.#store = store
    this.#world = world
  }

  add(snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot> {
    return this.#store.add(this.#world, snapshot)
  }

  get(id: number): Promise<Snapshot | undefined> {
    return this.#store.get(this.#world, id)
  }

  list(): Promise<readonly Snapshot[]> {
    return this.#store.list(this.#world)
  }

  delete(id: number): Promise<boolean> {
    return this.#store.delete(this.#world, id)
  }

  look(): Promise<void> | undefined {
    return this.#store.look(this.#world)
  }

  get count(): number {
    return this.#store.spent(this.#world).count
  }

  get bytes(): number {
    return this.#store.spent(this.#world).bytes
  }
}
