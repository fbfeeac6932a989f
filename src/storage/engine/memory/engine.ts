import { createStore, type LowStore, type StoreOptions } from '../../store/low-store.ts'
import type { AuditLog } from '../audit.ts'
import type { Engine } from '../engine.ts'
import { MemoryAudit } from './audit.ts'
import { MemoryCounters } from './counters.ts'
import { MemoryEventLog } from './event-log.ts'
import { MemoryJobQueue } from './job-queue.ts'
import { MemoryJournal } from './journal.ts'
import { createMemoryLocks } from './locks.ts'
import { createMemoryProcesses } from './processes.ts'
import { createMemorySettings } from './settings.ts'
import { MemorySnapshots } from './snapshots.ts'
import { registryOf } from './world-registry.ts'

export interface MemoryOptions extends Pick<StoreOptions, 'onError'> {
  /** How many entries of the audit are kept on each shelf. */
  readonly auditEntries?: number
}

/** An engine whose rows live as long as the process. */
export async function createMemoryEngine({ auditEntries, ...options }: MemoryOptions = {}): Promise<Engine> {
  return engineOver(await createStore(options), new MemoryAudit(auditEntries))
}

/** An engine over a store of this process; what is not in rows lives as long as it. */
export function engineOver(store: LowStore, audit: AuditLog): Engine {
  const events = new MemoryEventLog()
  const snapshots = new MemorySnapshots(store.revoked)
  const journal = new MemoryJournal()
  const worlds = registryOf(store)
  worlds.onChanged((name, event) => {
    if (event !== 'created') journal.drop(name)
    if (event !== 'dropped') return
    snapshots.drop(name)
    events.drop(name)
  })
  return {
    worlds,
    store,
    jobs: new MemoryJobQueue(),
    events,
    journal,
    snapshots,
    audit,
    counters: new MemoryCounters(),
    settings: createMemorySettings(),
    processes: createMemoryProcesses(),
    lock: createMemoryLocks(),
    close: () => store.close(),
  }
}
