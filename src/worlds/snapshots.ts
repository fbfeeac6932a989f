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
  }
}
