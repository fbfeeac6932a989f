import { createStore, type StoreOptions } from '../../store/low-store.ts'
import type { Engine } from '../engine.ts'
import { engineOver, type MemoryOptions } from '../memory/engine.ts'
import { FileAudit } from './audit.ts'

/**
 * An engine whose rows are kept in a file, by one process at a time.
 * @throws UnusableFile when the file cannot be used: it cannot be written, another process has it, or it is broken
 */
export async function openFileEngine(
  options: StoreOptions & MemoryOptions & { readonly path: string },
): Promise<Engine> {
  const { auditEntries, ...kept } = options
  const store = await createStore(kept)
  const audit = new FileAudit(`${options.path}.audit`, {
    sync: options.sync ?? false,
    most: auditEntries,
    unavailable: () => store.unavailable,
  })
  return {
    ...engineOver(store, audit),
    async close() {
      await audit.close()
      await store.close()
    },
  }
}
