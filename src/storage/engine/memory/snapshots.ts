import type { WorldRows } from '../../store/store.ts'
import type { Snapshot, SnapshotStore } from '../snapshots.ts'

interface Taken {
  readonly snapshots: Map<number, Snapshot>
  /** API keys that were revoked while there were snapshots, by username, with the last snapshot before that. */
  readonly revoked: Map<string, { readonly at: number; readonly last: number }>
  last: number
  bytes: number
}

/** Snapshots in memory. Rows are values, so a snapshot shares them with the world it was taken of. */
export class MemorySnapshots implements SnapshotStore {
  readonly #worlds = new Map<string, Taken>()

  async add(world: string, snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot> {
    let taken = this.#worlds.get(world)
    if (!taken)
      this.#worlds.set(world, (taken = { snapshots: new Map(), revoked: new Map(), last: 0, bytes: 0 }))
    const added = { id: ++taken.last, ...snapshot }
    taken.snapshots.set(added.id, added)
    taken.bytes += added.bytes
    return added
  }

  async get(world: string, id: number): Promise<Snapshot | undefined> {
    const taken = this.#worlds.get(world)
    const snapshot = taken?.snapshots.get(id)
    return snapshot && { ...snapshot, rows: withRevoked(snapshot, taken!) }
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
    if (taken.snapshots.size === 0) taken.revoked.clear()
    return true
  }

  async revoked(world: string, username: string, at: number): Promise<void> {
    const taken = this.#worlds.get(world)
    if (taken && taken.snapshots.size > 0) taken.revoked.set(username, { at, last: taken.last })
  }

  look(): undefined {
    return undefined
  }

  spent(world: string) {
    const taken = this.#worlds.get(world)
    return { count: taken?.snapshots.size ?? 0, bytes: taken?.bytes ?? 0 }
  }

  /** Forgets a world. */
  drop(world: string): void {
    this.#worlds.delete(world)
  }
}

function withRevoked({ id, rows }: Snapshot, { revoked }: Taken): WorldRows {
  const apiKeys = (rows.apiKeys ?? []).map((key) => {
    const since = revoked.get(key.username)
    return since && since.last >= id && key.revoked_at === null ? { ...key, revoked_at: since.at } : key
  })
  return { ...rows, apiKeys }
}
