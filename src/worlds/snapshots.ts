import type { ClockState } from '../clock.ts'
import { ServiceError } from '../domain/errors.ts'
import type { WorldRows } from '../store/store.ts'

export interface Snapshot {
  readonly id: number
  readonly name: string
  /** Milliseconds on the world's clock when it was taken. */
  readonly at: number
  readonly clock: ClockState
  readonly rows: WorldRows
}

const MOST = 50

/** The snapshots of one world. Rows are values, so a snapshot shares them with the world it was taken of. */
export class Snapshots {
  readonly #taken = new Map<number, Snapshot>()
  /** API keys that were revoked while there were snapshots, by username, with the last snapshot before that. */
  readonly #revoked = new Map<string, { readonly at: number; readonly last: number }>()
  #last = 0

  /** @throws ServiceError 429 when there are too many */
  add(snapshot: Omit<Snapshot, 'id'>): Snapshot {
    if (this.#taken.size >= MOST)
      throw new ServiceError(
        'resource_exhausted',
        `there are ${MOST} snapshots of this world already; delete one with DELETE /sandbox/snapshots/{id}`,
      )
    const taken = { id: ++this.#last, ...snapshot }
    this.#taken.set(taken.id, taken)
    return taken
  }

  get(id: number): Snapshot | undefined {
    return this.#taken.get(id)
  }

  /** Oldest first. */
  all(): readonly Snapshot[] {
    return [...this.#taken.values()]
  }

  delete(id: number): void {
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
