import { createStore, type StoreOptions } from '../../store/create-store.ts'
import type { Engine } from '../engine.ts'
import { registryOf } from './world-registry.ts'

/** An engine whose rows live as long as the process. */
export async function createMemoryEngine(options: Pick<StoreOptions, 'onError'> = {}): Promise<Engine> {
  const store = await createStore(options)
  return { worlds: registryOf(store), store, close: () => store.close() }
}
