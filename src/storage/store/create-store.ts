import { Low, Memory } from 'lowdb'
import { open } from 'node:fs/promises'
import { systemTicks, type Ticks } from '../../lib/clock/ticks.ts'
import { type OnError, surfaceError } from '../../lib/listeners.ts'
import type { OpenFile } from './file/disk.ts'
import type { Worlds } from './file/entries.ts'
import { type Report, RowsFile } from './file/rows-file.ts'
import { LowStore } from './low-store.ts'

export { UnusableFile } from './file/format.ts'

export interface StoreOptions {
  /**
   * The file that rows are kept in, with `.log` and `.lock` beside it; none: in memory only. What was accepted
   * survives the process being killed.
   */
  readonly path?: string | undefined
  /** Takes what listeners throw. */
  readonly onError?: OnError | undefined
  /** Whether what was accepted survives a power cut too: every write is waited for until it is on the disk. */
  readonly sync?: boolean
  /** Told when the file cannot be written, when it can again, and what a start waits for. */
  readonly report?: Report
  /** The machine's when left out. */
  readonly ticks?: Ticks
  /** How files are opened to be written; the system's way when left out. */
  readonly open?: OpenFile
}

/**
 * A store over lowdb. Throws an UnusableFile when the file cannot be used: it cannot be written, another process has it, or it is
 * broken; the message says which and what to do.
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
