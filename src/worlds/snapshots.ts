import type { ClockState } from '../clock.ts'
import type { WorldRows } from '../store/store.ts'

export interface Snapshot {
  readonly id: number
  readonly name: string
  /** Milliseconds on the world's clock when it was taken. */
  readonly at: number
  readonly clock: ClockState
  readonly rows: WorldRows
  /** What the rows take. */
  readonly bytes: number
}

/** The snapshots of one world. Rows are values, so a snapshot shares them with the world it was taken of. */
export class Snapshots {
  readonly #taken = new Map<number, Snapshot>()
  /** API keys that were revoked while there were snapshots, by username, with the last snapshot before that. */
  readonly #revoked = new Map<string, { readonly at: number; readonly last: number }>()
  #last = 0
  #bytes = 0

  add(snapshot: Omit<Snapshot, 'id'>): Snapshot {
    const taken = { id: ++this.#last, ...snapshot }
    this.#taken.set(taken.id, taken)
    this.#bytes += taken.bytes
    return taken
  }

  get size(): number {
    return this.#taken.size
  }

  /** What the rows of all of them take, those they share with the world too. */
  get bytes(): number {
    return this.#bytes
  }

  get(id: number): Snapshot | undefined {
    return this.#taken.get(id)
  }

  /** Oldest first. */
  all(): readonly Snapshot[] {
    return [...this.#taken.values()]
  }

  delete(id: number): void {
    this.#bytes -= this.#taken.get(id)?.bytes ?? 0
    this.#taken.delete(id)
    if (this.#taken.size === 0) this.#revoked.clear()
  }

  /** Remembers that an API key was revoked, at a time of the world's clock. */
  revoked(username: string, at: number): void {
    if (this.#taken.size > 0) this.#revoked.set(username, { at, last: this.#last })
  }

  /** The rows of a snapshot, in which keys that were revoked since are so too. */
  rowsOf({ id, rows }: Snapshot): WorldRows {
    const apiKeys = (rows.apiKeys ?? []).map((key) => {
      const revoked = this.#revoked.get(key.username)
      return revoked && revoked.last >= id && key.revoked_at === null
        ? { ...key, revoked_at: revoked.at }
        : key
    })
    return { ...rows, apiKeys }
  }
}
