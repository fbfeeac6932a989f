import { createStore, type StoreOptions } from '../../store/create-store.ts'
import type { Engine } from '../engine.ts'
import { MemoryJobQueue } from './job-queue.ts'
import { createMemoryLocks } from './locks.ts'
import { registryOf } from './world-registry.ts'

/** An engine whose rows live as long as the process. */
export async function createMemoryEngine(options: Pick<StoreOptions, 'onError'> = {}): Promise<Engine> {
  const store = await createStore(options)
  return {
    worlds: registryOf(store),
    store,
    jobs: new MemoryJobQueue(),
    lock: createMemoryLocks(),
    close: () => store.close(),
  }
}
