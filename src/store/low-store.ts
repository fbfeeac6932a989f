import type { Low } from 'lowdb'
import { sliceOf } from '../clock/time-slice.ts'
import { WorldChange, WorldView } from './change.ts'
import { entryOf, type Entry, type Worlds } from './file/entries.ts'
import type { RowsFile } from './file/rows-file.ts'
import type { Change, Store, View, WorldRows, Written } from './store.ts'
import { Turns } from './turns.ts'
import { World, worldInSlices } from './world.ts'

type Listener = (world: string, written: readonly Written[]) => void

export class LowStore implements Store {
  readonly #low: Low<Worlds>
  readonly #file: RowsFile | undefined
  readonly #turns = new Turns()
  readonly #listeners = new Set<Listener>()
  #closed = false

  constructor(low: Low<Worlds>, file?: RowsFile) {
    this.#low = low
    this.#file = file
  }

  async worlds(): Promise<readonly string[]> {
    return [...this.#low.data.keys()]
  }

  async change<T>(name: string, work: (change: Change) => Promise<T>): Promise<T> {
    const turn = this.#enter(name)
    if (turn) await turn
    let result: T
    let safe: Promise<void> | undefined
    try {
      this.#requireSound()
      const world = this.#low.data.get(name) ?? new World()
      const change = new WorldChange(world)
      try {
        result = await work(change)
        safe = this.#keep(name, world, change.written())
      } catch (error) {
        change.undo()
        throw error
      } finally {
        change.end()
      }
    } finally {
      this.#turns.leave(name)
    }
    // The next change may begin as soon as this one has written its rows; only its caller waits for the file.
    if (safe) await safe
    return result
  }

  async read<T>(name: string, work: (view: View) => Promise<T>): Promise<T> {
    const turn = this.#enter(name)
    if (turn) await turn
    try {
      this.#requireSound()
      const view = new WorldView(this.#low.data.get(name) ?? new World())
      try {
        return await work(view)
      } finally {
        view.end()
      }
    } finally {
      this.#turns.leave(name)
    }
  }

  async load(name: string, rows: WorldRows): Promise<void> {
    const { safe } = await this.#turn(name, async () => {
      const slice = sliceOf(name)
      const world = await worldInSlices(rows, slice)
      const finish = await this.#file?.load(name, rows, slice)
      this.#low.data.set(name, world)
      return { safe: this.#foldAfter(finish?.()) }
    })
    await safe
  }

  async dump(name: string): Promise<WorldRows> {
    return this.#turn(name, () => this.#low.data.get(name)?.rows() ?? {})
  }

  async drop(name: string): Promise<void> {
    const { safe } = await this.#turn(name, () => {
      const safe = this.#low.data.has(name) ? this.#append({ world: name, drop: true }) : undefined
      this.#low.data.delete(name)
      return { safe }
    })
    await safe
  }

  onCommit(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#turns.rest()
    await this.#file?.close(this.#low.data)
  }

  async #turn<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const turn = this.#enter(name)
    if (turn) await turn
    try {
      this.#requireSound()
      return await work()
    } finally {
      this.#turns.leave(name)
    }
  }

  #enter(name: string): Promise<void> | undefined {
    if (this.#closed) throw new Error('The store is closed')
    return this.#turns.enter(name)
  }

  /** Rows that could not be written are in memory still: to show them would be to lie. */
  #requireSound(): void {
    if (this.#file?.failure) throw this.#file.failure
  }

  #keep(name: string, world: World, written: readonly Written[]): Promise<void> | undefined {
    if (written.length === 0) return undefined
    const safe = this.#file && this.#append(entryOf(name, written))
    this.#low.data.set(name, world)
    if (safe) return safe.then(() => this.#tell(name, written))
    this.#tell(name, written)
    return undefined
  }

  #append(entry: Entry): Promise<void> | undefined {
    return this.#foldAfter(this.#file?.append(entry))
  }

  #foldAfter(safe: Promise<void> | undefined): Promise<void> | undefined {
    return safe?.then(() => {
      if (this.#file?.due) void this.#low.write()
    })
  }

  #tell(name: string, written: readonly Written[]): void {
    for (const listener of this.#listeners) tell(listener, name, written)
  }
}

/** A listener's fault is not the change's: the rows are kept, and the fault surfaces on its own. */
function tell(listener: Listener, world: string, written: readonly Written[]): void {
  try {
    listener(world, written)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
