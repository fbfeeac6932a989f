import { Low, Memory } from 'lowdb'
import { type ListenerFault, surfaceFault } from '../listeners.ts'
import type { Worlds } from './file/entries.ts'
import { RowsFile } from './file/rows-file.ts'
import { LowStore } from './low-store.ts'
import type { Store } from './store.ts'

export { UnusableFile } from './file/format.ts'

export interface StoreOptions {
  /**
   * The file that rows are kept in, with `.log` and `.lock` beside it; none: in memory only. What was accepted
   * survives the process being killed; it is not forced to the disk, so a power cut may take the last moments.
   */
  readonly path?: string | undefined
  /** Takes what listeners throw. */
  readonly onFault?: ListenerFault | undefined
}

/**
 * A store over lowdb. Throws an UnusableFile when the file cannot be used: it cannot be written, another process has it, or it is
 * broken; the message says which and what to do.
 */
export async function createStore({ path, onFault = surfaceFault }: StoreOptions = {}): Promise<Store> {
  if (path === undefined) return new LowStore(new Low<Worlds>(new Memory(), new Map()), onFault)
  const file = await RowsFile.open(path)
  const low = new Low<Worlds>(file, new Map())
  try {
    await low.read()
  } catch (error) {
    await file.close(low.data)
    throw error
  }
  return new LowStore(low, onFault, file)
}
