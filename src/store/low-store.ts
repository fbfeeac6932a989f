import type { Low } from 'lowdb'
import { WorldChange, WorldView } from './change.ts'
import { entryOf, type Entry, type Worlds } from './file/entries.ts'
import type { RowsFile } from './file/rows-file.ts'
import type { Change, Store, View, WorldRows, Written } from './store.ts'
import { Turns } from './turns.ts'
import { World, worldOf } from './world.ts'

type Listener = (world: string, written: readonly Written[]) => void

/** What came of work, and when it is safe; `safe` is undefined when there is nothing to wait for. */
interface Outcome<T> {
  readonly result: T
  readonly safe: Promise<void> | undefined
}

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
    // The next change may begin as soon as this one has written its rows; only its caller waits for the file.
    const { result, safe } = await this.#take(name, () => this.#change(name, work))
    if (safe) await safe
    return result
  }

  read<T>(name: string, work: (view: View) => Promise<T>): Promise<T> {
    return this.#take(name, async () => {
      const view = new WorldView(this.#low.data.get(name) ?? new World())
      try {
        return await work(view)
      } finally {
        view.end()
      }
    })
  }

  async load(name: string, rows: WorldRows): Promise<void> {
    const { safe } = await this.#take(name, () => {
      const world = worldOf(rows)
      const safe = this.#append({ world: name, load: rows })
      this.#low.data.set(name, world)
      return { safe }
    })
    await safe
  }

  async dump(name: string): Promise<WorldRows> {
    return this.#take(name, () => this.#low.data.get(name)?.rows() ?? {})
  }

  async drop(name: string): Promise<void> {
    const { safe } = await this.#take(name, () => {
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

  #take<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The store is closed'))
    return this.#turns.take(name, () => {
      // Rows that could not be written are in memory still: to show them would be to lie.
      if (this.#file?.failure) throw this.#file.failure
      return work()
    })
  }

  async #change<T>(name: string, work: (change: Change) => Promise<T>): Promise<Outcome<T>> {
    const world = this.#low.data.get(name) ?? new World()
    const change = new WorldChange(world)
    try {
      const result = await work(change)
      return { result, safe: this.#keep(name, world, change.written()) }
    } catch (error) {
      change.undo()
      throw error
    } finally {
      change.end()
    }
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
    return this.#file?.append(entry).then(() => {
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
