import { Low, Memory } from 'lowdb'
import { WorldChange, WorldView } from './change.ts'
import type { Change, Store, View, WorldRows, Written } from './store.ts'
import { Turns } from './turns.ts'
import { World, worldOf } from './world.ts'

type Listener = (world: string, written: readonly Written[]) => void

/** A store that keeps its rows in memory. */
export async function createStore(): Promise<Store> {
  return new LowStore(new Low(new Memory<Map<string, World>>(), new Map()))
}

class LowStore implements Store {
  readonly #low: Low<Map<string, World>>
  readonly #turns = new Turns()
  readonly #listeners = new Set<Listener>()
  #closed = false

  constructor(low: Low<Map<string, World>>) {
    this.#low = low
  }

  async worlds(): Promise<readonly string[]> {
    return [...this.#low.data.keys()]
  }

  change<T>(name: string, work: (change: Change) => Promise<T>): Promise<T> {
    return this.#take(name, async () => {
      const world = this.#low.data.get(name) ?? new World()
      const change = new WorldChange(world)
      try {
        const result = await work(change)
        this.#keep(name, world, change.written())
        return result
      } catch (error) {
        change.undo()
        throw error
      } finally {
        change.end()
      }
    })
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

  load(name: string, rows: WorldRows): Promise<void> {
    return this.#take(name, () => void this.#low.data.set(name, worldOf(rows)))
  }

  dump(name: string): Promise<WorldRows> {
    return this.#take(name, () => this.#low.data.get(name)?.rows() ?? {})
  }

  drop(name: string): Promise<void> {
    return this.#take(name, () => void this.#low.data.delete(name))
  }

  onCommit(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#turns.rest()
  }

  async #take<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('The store is closed')
    return this.#turns.take(name, work)
  }

  #keep(name: string, world: World, written: readonly Written[]): void {
    if (written.length === 0) return
    this.#low.data.set(name, world)
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
