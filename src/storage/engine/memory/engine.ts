import { createStore, type LowStore, type StoreOptions } from '../../store/low-store.ts'
import type { AuditLog } from '../audit.ts'
import type { Engine } from '../engine.ts'
import { MemoryAudit } from './audit.ts'
import {
  createMemoryLocks,
  createMemoryProcesses,
  createMemorySettings,
  MemoryCounters,
} from './shared-state.ts'
import { MemoryEventLog } from './event-log.ts'
import { MemoryJobQueue } from './job-queue.ts'
import { MemoryJournal } from './journal.ts'
import { MemorySnapshots } from './snapshots.ts'
import { TooManyWorlds, type WorldPlace, type WorldRegistry } from '../worlds.ts'

export interface MemoryOptions extends Pick<StoreOptions, 'onError'> {
  /** Entries per shelf of the audit log. */
  readonly auditEntries?: number
}

export async function createMemoryEngine({ auditEntries, ...options }: MemoryOptions = {}): Promise<Engine> {
  return engineOver(await createStore(options), new MemoryAudit(auditEntries))
}

/** Returns an engine over a store; everything else is in memory. */
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

function registryOf(store: LowStore): WorldRegistry {
  const lastUsed = new Map<string, number>()
  const made = new Map<string, number>()
  const keys = new Map<string, Map<string, number>>()
  store.onWorld((name, event) => {
    if (event !== 'dropped') return
    lastUsed.delete(name)
    made.delete(name)
    keys.delete(name)
  })
  const place = (name: string): WorldPlace => ({ name, at: lastUsed.get(name) ?? made.get(name) ?? 0 })
  return {
    names: () => store.worlds(),
    has: async (name) => store.has(name),
    async create(name, rows, { most = Infinity, at } = {}) {
      if (most !== Infinity && !store.has(name) && (await store.worlds()).length >= most)
        throw new TooManyWorlds(`there are ${most} worlds`)
      const isNew = await store.create(name, rows)
      if (isNew && at !== undefined) made.set(name, at)
      return isNew
    },
    drop: (name) => store.drop(name),
    // The memory is the only copy.
    forget: () => false,
    used(name, at) {
      if (at > (lastUsed.get(name) ?? -Infinity)) lastUsed.set(name, at)
    },
    lastUsed: async (name) => lastUsed.get(name),
    keyUsed(name, username, at) {
      let used = keys.get(name)
      if (!used) keys.set(name, (used = new Map()))
      used.set(username, at)
    },
    async keepKeys(name, usernames) {
      const kept = new Set(usernames)
      for (const each of keys.get(name)?.keys() ?? []) if (!kept.has(each)) keys.get(name)!.delete(each)
    },
    async keysUsed(name, usernames) {
      const used = keys.get(name)
      return new Map(usernames.flatMap((each) => (used?.has(each) ? [[each, used.get(each)!]] : [])))
    },
    async list({ prefix, limit, after }) {
      const names = (await store.worlds()).filter((name) => name.startsWith(prefix))
      const places = names.map(place).toSorted(byUse)
      const from = after ? places.findIndex((each) => byUse(each, after) > 0) : 0
      const page = from < 0 ? [] : places.slice(from, from + limit)
      const listed = ({ name, at }: WorldPlace) => ({
        name,
        at,
        used_at: lastUsed.get(name),
        created_at: made.get(name),
        bytes: store.bytes(name),
      })
      return { worlds: page.map(listed), total: places.length }
    },
    onChanged: (listener) => store.onWorld(listener),
  }
}

const byUse = (one: WorldPlace, other: WorldPlace) =>
  other.at - one.at || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)
