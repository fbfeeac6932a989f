import { createStore, type LowStore, type StoreOptions } from '../../store/low-store.ts'
import type { AuditLog } from '../audit.ts'
import type { Engine } from '../engine.ts'
import { memoryAudit } from './audit.ts'
import {
  createMemoryLocks,
  createMemoryProcesses,
  createMemorySettings,
  MemoryCounters,
} from './shared-state.ts'
import { EventRing } from './event-log.ts'
import { TooManyWorlds, type WorldPlace, type WorldRegistry } from '../worlds.ts'
import { Listeners, surfaceError } from '../../../lib/listeners.ts'
import type { JournalEntry, JournalLimits, JournalRecord } from '../journal.ts'
import { type JobQueue, OWNERSHIP, type RunnerListener } from '../job-queue.ts'
import { countOf } from '../../store/file/format.ts'
import { withRevoked } from '../../store/change.ts'
import type { Snapshot, SnapshotStore } from '../snapshots.ts'

export interface MemoryOptions extends Pick<StoreOptions, 'onError'> {
  /** Entries per shelf of the audit log. */
  readonly auditEntries?: number
}

export async function createMemoryEngine({ auditEntries, ...options }: MemoryOptions = {}): Promise<Engine> {
  return engineOver(await createStore(options), memoryAudit(auditEntries))
}

/** Returns an engine over a store; everything else is in memory. */
export function engineOver(store: LowStore, audit: AuditLog): Engine {
  const events = new Map<string, EventRing>()
  const records = new Map<string, MemoryRecord>()
  const snapshots = memorySnapshots(store)
  const worlds = registryOf(store)
  worlds.onChanged((name, event) => {
    if (event !== 'created') records.delete(name)
    if (event !== 'dropped') return
    snapshots.drop(name)
    events.delete(name)
  })
  return {
    worlds,
    store,
    jobs: memoryJobQueue(),
    events: { open: (world, first) => openOnce(events, world, () => new EventRing(first)) },
    journal: { open: (world, limits) => openOnce(records, world, () => new MemoryRecord(limits)) },
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

function openOnce<Opened>(all: Map<string, Opened>, world: string, open: () => Opened): Opened {
  const opened = all.get(world) ?? open()
  all.set(world, opened)
  return opened
}

class MemoryRecord implements JournalRecord {
  /** The n-th request is at `(n - 1) % most`. A map would get slower, as its oldest entry is deleted each time. */
  readonly #ring: (JournalEntry | undefined)[] = []
  readonly #listeners = new Listeners<[entry: JournalEntry]>(surfaceListener)
  readonly #most: number
  readonly #mostBytes: number
  /** The bytes counted for each entry; 0 until it has a response. */
  readonly #counted: number[] = []
  #bytes = 0
  #made = 0
  #forgotten = 0

  constructor({ requests, bytes }: JournalLimits) {
    this.#most = requests
    this.#mostBytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#made - this.#forgotten
  }

  look(): undefined {
    return undefined
  }

  nextId(): string {
    return `req_${++this.#made}`
  }

  add(entry: JournalEntry): void {
    const slot = this.#slotOf(numberOf(entry.id))
    this.#count(slot, 0)
    this.#ring[slot] = entry
    this.#forgotten = Math.max(this.#forgotten, this.#made - this.#most)
  }

  answered(entry: JournalEntry, bytes: number): void {
    const slot = this.#slotOf(numberOf(entry.id))
    if (this.#ring[slot]?.id === entry.id) {
      this.#ring[slot] = entry
      this.#count(slot, bytes)
    }
    while (this.#bytes > this.#mostBytes && this.size > 1) this.#forgetOldest()
    this.#listeners.tell(entry)
  }

  async get(id: string): Promise<JournalEntry | undefined> {
    return this.#get(id)
  }

  async remembered(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(ids.filter((id) => this.#get(id) !== undefined))
  }

  async all(): Promise<readonly JournalEntry[]> {
    return Array.from({ length: this.size }, (_, i) => this.#ring[(this.#forgotten + i) % this.#most]!)
  }

  async newest(most: number): Promise<readonly JournalEntry[]> {
    const length = Math.min(most, this.size)
    return Array.from({ length }, (_, i) => this.#ring[(this.#made - 1 - i) % this.#most]!)
  }

  async clear(): Promise<number> {
    const { size } = this
    this.#forgotten = this.#made
    this.#ring.fill(undefined)
    this.#counted.fill(0)
    this.#bytes = 0
    return size
  }

  onAnswered(listener: (entry: JournalEntry) => void): () => void {
    return this.#listeners.add(listener)
  }

  #get(id: string): JournalEntry | undefined {
    const number = numberOf(id)
    const entry = number > this.#forgotten ? this.#ring[this.#slotOf(number)] : undefined
    return entry?.id === id ? entry : undefined
  }

  #forgetOldest(): void {
    const slot = this.#forgotten++ % this.#most
    this.#count(slot, 0)
    this.#ring[slot] = undefined
  }

  #count(slot: number, bytes: number): void {
    this.#bytes += bytes - (this.#counted[slot] ?? 0)
    this.#counted[slot] = bytes
  }

  #slotOf(number: number): number {
    return (number - 1) % this.#most
  }
}

const surfaceListener = (error: unknown) => surfaceError(error, { of: 'response' })
const numberOf = (id: string) => Number(id.slice('req_'.length))

interface Ownership {
  readonly owner: RunnerListener
  readonly until: number
  /** Members whose claims failed; woken when the world is released. */
  readonly refused: Set<RunnerListener>
}

/** The job ownership among the sandboxes of one process. */
export function memoryJobQueue(): JobQueue {
  const owners = new Map<string, Ownership>()
  const members = new Set<RunnerListener>()
  return {
    join(listener) {
      const own: RunnerListener = { ...listener }
      members.add(own)
      const others = () => [...members].filter((member) => member !== own)
      return {
        async claim(world, now) {
          const known = owners.get(world)
          if (known && known.owner !== own && known.until > now) {
            known.refused.add(own)
            return { granted: false, until: known.until }
          }
          const refused = known?.refused ?? new Set()
          refused.delete(own)
          owners.set(world, { owner: own, until: now + OWNERSHIP, refused })
          return { granted: true, until: now + OWNERSHIP }
        },
        // Every member has all worlds open.
        claimDue: async () => ({ claimed: [], next: Infinity }),
        async release(world) {
          const known = owners.get(world)
          if (known?.owner !== own) return
          owners.delete(world)
          wake(known.refused, world)
        },
        async request(world) {
          const known = owners.get(world)
          if (!known) return wake([own], world)
          if (known.owner === own) return
          known.refused.add(own)
          queueMicrotask(() => known.owner.onRequested(world))
        },
        async announce(world) {
          wake(others(), world)
        },
        async leave() {
          members.delete(own)
          for (const [world, { owner }] of owners) {
            if (owner !== own) continue
            owners.delete(world)
            wake(others(), world)
          }
        },
      }
    },
  }
}

/** In a microtask, so that no listener is called during its own call. */
function wake(members: Iterable<RunnerListener>, world: string): void {
  for (const { onWake } of members) queueMicrotask(() => onWake(world))
}

interface Taken {
  readonly snapshots: Map<number, Snapshot>
  last: number
  bytes: number
}

/** Snapshots in memory. They share their rows, which are immutable, with the world. */
function memorySnapshots(store: LowStore): SnapshotStore & { drop(world: string): void } {
  const worlds = new Map<string, Taken>()

  async function add(world: string, snapshot: Omit<Snapshot, 'id' | 'count'>): Promise<Snapshot> {
    let taken = worlds.get(world)
    if (!taken) worlds.set(world, (taken = { snapshots: new Map(), last: 0, bytes: 0 }))
    const added = { id: ++taken.last, ...snapshot, count: countOf(snapshot.rows) }
    taken.snapshots.set(added.id, added)
    taken.bytes += added.bytes
    return added
  }

  return {
    async take(world, about) {
      // Before the rows are read, so that a key revoked from now on is newer than the snapshot.
      const [rows_version, bytes] = [store.version(world), store.bytes(world)]
      return add(world, { ...about, rows: await store.dump(world), rows_version, bytes })
    },
    add,
    async get(world, id) {
      const snapshot = worlds.get(world)?.snapshots.get(id)
      if (!snapshot) return undefined
      const revoked = store.revoked.since(world, snapshot.rows_version)
      return { ...snapshot, rows: withRevoked(snapshot.rows, revoked) }
    },
    list: async (world) => [...(worlds.get(world)?.snapshots.values() ?? [])],
    async delete(world, id) {
      const taken = worlds.get(world)
      const snapshot = taken?.snapshots.get(id)
      if (!taken || !snapshot) return false
      taken.bytes -= snapshot.bytes
      taken.snapshots.delete(id)
      return true
    },
    look: () => undefined,
    spent(world) {
      const taken = worlds.get(world)
      return { count: taken?.snapshots.size ?? 0, bytes: taken?.bytes ?? 0 }
    },
    drop(world) {
      worlds.delete(world)
    },
  }
}
