import { Low, Memory } from 'lowdb'
import { open } from 'node:fs/promises'
import { systemTicks, type Ticks, sliceOf, KeyedMutex } from '../../lib/clock/clock.ts'
import { Listeners, type OnError, surfaceError } from '../../lib/listeners.ts'
import type { OpenFile } from './file/log-file.ts'
import { type Entry, entryOf, type Worlds } from './file/format.ts'
import { type Report, RowsFile } from './file/rows-file.ts'
import { worldInSlices, WorldTables } from './world.ts'
import {
  WorldChange,
  WorldView,
  type Change,
  HEARD,
  type Moment,
  type Synchronous,
  type RowChange,
  type Store,
  StoreUnavailable,
  type View,
  type WorldEvent,
  type WorldRows,
  RevokedKeys,
  withRevoked,
} from './change.ts'

export { UnusableFile } from './file/format.ts'

export interface StoreOptions {
  /** The file for the rows, next to its `.lock`; in memory only if omitted. Survives a killed process. */
  readonly path?: string | undefined
  readonly onError?: OnError | undefined
  /** Whether to wait for the disk at every write, so that rows also survive a power cut. */
  readonly sync?: boolean
  readonly report?: Report
  readonly ticks?: Ticks
  readonly open?: OpenFile
}

/**
 * Opens a store over lowdb.
 * @throws {UnusableFile} If the file cannot be written, is used by another process or is broken.
 */
export async function createStore(options: StoreOptions = {}): Promise<LowStore> {
  const { path, sync = false, onError = surfaceError, report = () => {}, ticks = systemTicks } = options
  if (path === undefined) return new LowStore(new Low<Worlds>(new Memory(), new Map()), onError)
  let store: LowStore | undefined
  const file = await RowsFile.open(path, { ticks, sync, report, open: options.open ?? open }, (failure) =>
    store?.fail(failure),
  )
  const low = new Low<Worlds>(file, new Map())
  try {
    await low.read()
  } catch (error) {
    await file.close(low.data)
    throw error
  }
  store = new LowStore(low, onError, { file, ticks, report })
  return store
}

const RETRY = 1_000

interface Backing {
  readonly file: RowsFile
  readonly ticks: Ticks
  readonly report: Report
}

type Committed = [world: string, written: readonly RowChange[], version: number]

export class LowStore implements Store {
  readonly #low: Low<Worlds>
  readonly #backing: Backing | undefined
  readonly #file: RowsFile | undefined
  /** Changes and short reads are synchronous; only loads and reads in slices make others wait. */
  readonly #mutex = new KeyedMutex()
  readonly #listeners: Listeners<Committed>
  readonly #worldListeners: Listeners<[world: string, event: WorldEvent]>
  /** The number of changes that wrote to each world, failed ones included. */
  readonly #versions = new Map<string, number>()
  readonly #recoveryListeners = new Set<() => void>()
  readonly revoked = new RevokedKeys()
  #closed = false
  #unavailable: StoreUnavailable | undefined
  #recovering: Promise<void> | undefined
  readonly #end = signal()
  /** Increases when rows are read back after a failure: work that began earlier must not be stored. */
  #epoch = 0

  constructor(low: Low<Worlds>, onError: OnError, backing?: Backing) {
    this.#low = low
    this.#backing = backing
    this.#file = backing?.file
    this.#listeners = new Listeners<Committed>((error, world, written) =>
      onError(error, { of: 'commit', world, tables: [...new Set(written.map(({ table }) => table))] }),
    )
    this.#worldListeners = new Listeners((error, world, event) => onError(error, { of: event, world }))
  }

  get unavailable(): StoreUnavailable | undefined {
    return this.#unavailable
  }

  /** Rejects everything until the stored rows could be read back and there is room to write. */
  fail(failure: StoreUnavailable): void {
    const known = this.#unavailable
    this.#unavailable = failure
    if (!known) this.#epoch += 1
    if (known?.message !== failure.message) this.#backing?.report('error', failure.message)
    this.#recovering ??= this.#recover().finally(() => (this.#recovering = undefined))
  }

  async #recover(): Promise<void> {
    const { file, ticks, report } = this.#backing!
    // The memory may contain rows that the file does not.
    this.#low.data = new Map()
    while (this.#unavailable) {
      if (this.#unavailable.final) return
      await Promise.race([ticks.wait(RETRY), this.#end.promise])
      if (this.#closed) return
      try {
        this.#low.data = await file.recover()
        this.#unavailable = undefined
      } catch (error) {
        if (error instanceof StoreUnavailable) this.#unavailable = error
      }
    }
    report('warn', 'Rows can be stored again; requests rejected in the meantime had no effect.')
    for (const listener of this.#recoveryListeners) listener()
  }

  async worlds(): Promise<readonly string[]> {
    return [...this.#low.data.keys()]
  }

  change<T>(name: string, work: (change: Change) => T & Synchronous<T>): T | Promise<T> {
    return this.#inTurn(name, () => this.#change(name, work))
  }

  #inTurn<T>(name: string, run: () => T | Promise<T>): T | Promise<T> {
    try {
      const held = this.#acquire(name)
      return held ? held.then(run) : run()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #change<T>(name: string, work: (change: Change) => T & Synchronous<T>): T | Promise<T> {
    let result: T
    let safe: Promise<void> | undefined
    try {
      this.#requireSound()
      const world = this.#low.data.get(name) ?? new WorldTables()
      const change = new WorldChange(world)
      try {
        result = work(change)
        safe = this.#keep(name, world, change.written())
      } catch (error) {
        change.undo()
        throw error
      } finally {
        change.end()
      }
    } finally {
      this.#mutex.release(name)
    }
    // The next change may begin now; only this caller waits for the file.
    return safe ? safe.then(() => result) : result
  }

  read<T>(name: string, work: (view: View) => T & Synchronous<T>): T | Promise<T> {
    return this.#inTurn(name, () => this.#read(name, work))
  }

  #read<T>(name: string, work: (view: View) => T & Synchronous<T>): T | Promise<T> {
    let result: T
    let safe: Promise<void> | undefined
    try {
      this.#requireSound()
      const world = this.#low.data.get(name) ?? new WorldTables()
      const view = new WorldView(world)
      try {
        result = work(view)
        safe = world.safe
      } finally {
        view.end()
      }
    } finally {
      this.#mutex.release(name)
    }
    // Rows must not be shown that a failing disk may lose.
    return safe ? safe.then(() => result) : result
  }

  moment(): Moment {
    return HEARD
  }

  async readInSlices<T>(name: string, work: (view: View) => Promise<T>): Promise<T> {
    const { result, safe } = await this.#exclusively(name, async () => {
      const world = this.#low.data.get(name) ?? new WorldTables()
      const view = new WorldView(world)
      try {
        return { result: await work(view), safe: world.safe }
      } finally {
        view.end()
      }
    })
    if (safe) await safe
    return result
  }

  load(name: string, rows: WorldRows, since = Infinity): Promise<void> {
    return this.#exclusively(name, () =>
      this.#replace(name, withRevoked(rows, this.revoked.since(name, since))),
    ).then((told) => told())
  }

  version(name: string): number {
    return this.#versions.get(name) ?? 0
  }

  /** Creates a world with these rows. Returns false if it exists. */
  async create(name: string, rows: WorldRows): Promise<boolean> {
    const told = await this.#exclusively(name, () => (this.has(name) ? undefined : this.#replace(name, rows)))
    await told?.()
    return told !== undefined
  }

  has(name: string): boolean {
    return this.#low.data.has(name)
  }

  /** Resolves when the rows are visible, to a function that resolves when they are stored and listeners were called. */
  async #replace(name: string, rows: WorldRows): Promise<() => Promise<void>> {
    const epoch = this.#epoch
    const slice = sliceOf(name)
    const world = await worldInSlices(rows, slice)
    const loading = await this.#file?.load(name, rows, slice)
    try {
      this.#requireSound(epoch)
    } catch (error) {
      loading?.cancel()
      throw error
    }
    const event = this.has(name) ? 'replaced' : 'created'
    this.#low.data.set(name, world)
    const safe = this.#compactAfter(loading?.finish())
    if (safe) world.keep(safe)
    return async () => {
      await safe
      this.#worldListeners.tell(name, event)
    }
  }

  async dump(name: string): Promise<WorldRows> {
    const { rows, safe } = await this.#exclusively(name, () => {
      const world = this.#low.data.get(name)
      return { rows: world?.rows() ?? {}, safe: world?.safe }
    })
    if (safe) await safe
    return rows
  }

  bytes(name: string): number {
    return this.#low.data.get(name)?.bytes ?? 0
  }

  inboxBytes(name: string): number {
    return this.#low.data.get(name)?.inboxBytes ?? 0
  }

  async drop(name: string): Promise<void> {
    const { safe } = await this.#exclusively(name, () => {
      const safe = this.has(name) ? this.#append({ world: name, drop: true }) : undefined
      this.#low.data.delete(name)
      return { safe }
    })
    await safe
    // A world that could not be dropped still exists.
    this.#versions.delete(name)
    this.revoked.drop(name)
    this.#worldListeners.tell(name, 'dropped')
  }

  /** Calls `listener` after an event of a world is stored. Returns a function that removes it. */
  onWorld(listener: (world: string, event: WorldEvent) => void): () => void {
    return this.#worldListeners.add(listener)
  }

  onCommit(listener: (world: string, written: readonly RowChange[], version: number) => void): () => void {
    return this.#listeners.add(listener)
  }

  onRecovered(listener: () => void): () => void {
    this.#recoveryListeners.add(listener)
    return () => void this.#recoveryListeners.delete(listener)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#end.resolve()
    await this.#mutex.idle()
    await this.#recovering
    await this.#file?.close(this.#unavailable ? undefined : this.#low.data)
  }

  async #exclusively<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const held = this.#acquire(name)
    if (held) await held
    try {
      this.#requireSound()
      return await work()
    } finally {
      this.#mutex.release(name)
    }
  }

  #acquire(name: string): Promise<void> | undefined {
    if (this.#closed) throw new StoreUnavailable('The store is closed', { final: true })
    return this.#mutex.acquire(name)
  }

  /** Rows that could not be written are still in memory, and must not be shown or built on. */
  #requireSound(epoch = this.#epoch): void {
    if (this.#unavailable) throw this.#unavailable
    if (epoch !== this.#epoch)
      throw new StoreUnavailable('The stored rows were read back during this request; send it again.')
  }

  #keep(name: string, world: WorldTables, written: readonly RowChange[]): Promise<void> | undefined {
    if (written.length === 0) return world.safe
    const safe = this.#file && this.#append(entryOf(name, written))
    this.#low.data.set(name, world)
    const version = (this.#versions.get(name) ?? 0) + 1
    this.#versions.set(name, version)
    this.revoked.note(name, written, version)
    if (safe) {
      const told = safe.then(() => this.#listeners.tell(name, written, version))
      world.keep(told)
      return told
    }
    this.#listeners.tell(name, written, version)
    return undefined
  }

  #append(entry: Entry): Promise<void> | undefined {
    return this.#compactAfter(this.#file?.append(entry))
  }

  #compactAfter(safe: Promise<void> | undefined): Promise<void> | undefined {
    return safe?.then(() => {
      if (!this.#unavailable && this.#file?.due) void this.#low.write()
    })
  }
}

function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}
