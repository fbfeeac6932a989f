import { RevokedKeys, withRevoked } from '../../store/revoked-keys.ts'
import type { Snapshot, SnapshotStore } from '../snapshots.ts'

interface Taken {
  readonly snapshots: Map<number, Snapshot>
  last: number
  bytes: number
}

/** Snapshots in memory. They share their rows, which are immutable, with the world. */
export class MemorySnapshots implements SnapshotStore {
  readonly #worlds = new Map<string, Taken>()
  readonly #revoked: Pick<RevokedKeys, 'since'>

  /** @param revoked - The revoked keys of each world. */
  constructor(revoked: Pick<RevokedKeys, 'since'> = new RevokedKeys()) {
    this.#revoked = revoked
  }

  async add(world: string, snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot> {
    let taken = this.#worlds.get(world)
    if (!taken) this.#worlds.set(world, (taken = { snapshots: new Map(), last: 0, bytes: 0 }))
    const added = { id: ++taken.last, ...snapshot }
    taken.snapshots.set(added.id, added)
    taken.bytes += added.bytes
    return added
  }

  async get(world: string, id: number): Promise<Snapshot | undefined> {
    const snapshot = this.#worlds.get(world)?.snapshots.get(id)
    if (!snapshot) return undefined
    const revoked = this.#revoked.since(world, snapshot.rows_version)
    return { ...snapshot, rows: withRevoked(snapshot.rows, revoked) }
  }

  async list(world: string): Promise<readonly Snapshot[]> {
    return [...(this.#worlds.get(world)?.snapshots.values() ?? [])]
  }

  async delete(world: string, id: number): Promise<boolean> {
    const taken = this.#worlds.get(world)
    const snapshot = taken?.snapshots.get(id)
    if (!taken || !snapshot) return false
    taken.bytes -= snapshot.bytes
    taken.snapshots.delete(id)
    return true
  }

  look(): undefined {
    return undefined
  }

  spent(world: string) {
    const taken = this.#worlds.get(world)
    return { count: taken?.snapshots.size ?? 0, bytes: taken?.bytes ?? 0 }
  }

  drop(world: string): void {
    this.#worlds.delete(world)
  }
}
