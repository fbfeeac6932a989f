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
import { TooManyWorlds, type WorldPlace, type WorldRegistry } from '../worlds.ts'
import { Listeners, surfaceError } from '../../../lib/listeners.ts'
import type { JournalEntry, JournalLimits, JournalRecord, JournalStore } from '../journal.ts'
import {
  type DueWorlds,
  type JobClaim,
  type JobQueue,
  OWNERSHIP,
  type Runner,
  type RunnerListener,
} from '../job-queue.ts'
import { countOf } from '../../store/file/format.ts'
import { withRevoked } from '../../store/change.ts'
import type { Snapshot, SnapshotStore } from '../snapshots.ts'

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
  const snapshots = new MemorySnapshots(store)
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

class MemoryJournal implements JournalStore {
  readonly #worlds = new Map<string, MemoryRecord>()

  open(world: string, limits: JournalLimits): JournalRecord {
    let record = this.#worlds.get(world)
    if (!record) this.#worlds.set(world, (record = new MemoryRecord(limits)))
    return record
  }

  drop(world: string): void {
    this.#worlds.delete(world)
  }
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
  readonly owner: Member
  readonly until: number
  /** Members whose claims failed; woken when the world is released. */
  readonly refused: Set<Member>
}

/** The job ownership among the sandboxes of one process. */
export class MemoryJobQueue implements JobQueue {
  readonly owners = new Map<string, Ownership>()
  readonly members = new Set<Member>()

  join(listener: RunnerListener): Runner {
    const member = new Member(this, listener)
    this.members.add(member)
    return member
  }
}

class Member implements Runner {
  readonly #queue: MemoryJobQueue
  readonly listener: RunnerListener

  constructor(queue: MemoryJobQueue, listener: RunnerListener) {
    this.#queue = queue
    this.listener = listener
  }

  async claim(world: string, now: number): Promise<JobClaim> {
    const { owners } = this.#queue
    const known = owners.get(world)
    if (known && known.owner !== this && known.until > now) {
      known.refused.add(this)
      return { granted: false, until: known.until }
    }
    const refused = known?.refused ?? new Set()
    refused.delete(this)
    owners.set(world, { owner: this, until: now + OWNERSHIP, refused })
    return { granted: true, until: now + OWNERSHIP }
  }

  /** Every member has all worlds open. */
  async claimDue(): Promise<DueWorlds> {
    return { claimed: [], next: Infinity }
  }

  async release(world: string): Promise<void> {
    const known = this.#queue.owners.get(world)
    if (known?.owner !== this) return
    this.#queue.owners.delete(world)
    wake(known.refused, world)
  }

  async request(world: string): Promise<void> {
    const known = this.#queue.owners.get(world)
    if (!known) return wake([this], world)
    if (known.owner === this) return
    known.refused.add(this)
    queueMicrotask(() => known.owner.listener.onRequested(world))
  }

  async announce(world: string): Promise<void> {
    wake(this.#others(), world)
  }

  async leave(): Promise<void> {
    this.#queue.members.delete(this)
    for (const [world, { owner }] of this.#queue.owners) {
      if (owner !== this) continue
      this.#queue.owners.delete(world)
      wake(this.#others(), world)
    }
  }

  #others(): Member[] {
    return [...this.#queue.members].filter((member) => member !== this)
  }
}

/** In a microtask, so that no listener is called during its own call. */
function wake(members: Iterable<Member>, world: string): void {
  for (const { listener } of members) queueMicrotask(() => listener.onWake(world))
}

interface Taken {
  readonly snapshots: Map<number, Snapshot>
  last: number
  bytes: number
}

/** Snapshots in memory. They share their rows, which are immutable, with the world. */
class MemorySnapshots implements SnapshotStore {
  readonly #worlds = new Map<string, Taken>()
  readonly #store: LowStore

  constructor(store: LowStore) {
    this.#store = store
  }

  async take(world: string, about: Pick<Snapshot, 'name' | 'at' | 'clock'>): Promise<Snapshot> {
    // Before the rows are read, so that a key revoked from now on is newer than the snapshot.
    const [rows_version, bytes] = [this.#store.version(world), this.#store.bytes(world)]
    return this.add(world, { ...about, rows: await this.#store.dump(world), rows_version, bytes })
  }

  async add(world: string, snapshot: Omit<Snapshot, 'id' | 'count'>): Promise<Snapshot> {
    let taken = this.#worlds.get(world)
    if (!taken) this.#worlds.set(world, (taken = { snapshots: new Map(), last: 0, bytes: 0 }))
    const added = { id: ++taken.last, ...snapshot, count: countOf(snapshot.rows) }
    taken.snapshots.set(added.id, added)
    taken.bytes += added.bytes
    return added
  }

  async get(world: string, id: number): Promise<Snapshot | undefined> {
    const snapshot = this.#worlds.get(world)?.snapshots.get(id)
    if (!snapshot) return undefined
    const revoked = this.#store.revoked.since(world, snapshot.rows_version)
    return { ...snapshot, rows: withRevoked(snapshot.rows, revoked) }
  }

  async list(world: string): Promise<readonly Snapshot[]> {
    return [...(this.#worlds.get(world)?.snapshots.values() ?? [])]
  }

  async delete(world: string, id: number): Promise<boolean> {
    const taken = this.#worlds.get(world)
    const snapshot = taken?.snapshots.get(id)
    if (!taken || !snapshot) return false
    taken.bytes -= snapshot.bytes
    taken.snapshots.delete(id)
    return true
  }

  look(): undefined {
    return undefined
  }

  spent(world: string) {
    const taken = this.#worlds.get(world)
    return { count: taken?.snapshots.size ?? 0, bytes: taken?.bytes ?? 0 }
  }

  drop(world: string): void {
    this.#worlds.delete(world)
  }
}
