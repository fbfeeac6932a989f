import { createStore, type StoreOptions } from '../../store/create-store.ts'
import type { Engine } from '../engine.ts'
import { engineOver } from '../memory/engine.ts'

/**
 * An engine whose rows are kept in a file, by one process at a time.
 * @throws UnusableFile when the file cannot be used: it cannot be written, another process has it, or it is broken
 */
export async function openFileEngine(options: StoreOptions & { readonly path: string }): Promise<Engine> {
  return engineOver(await createStore(options))
}
