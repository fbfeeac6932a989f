import {
  AUDIT_ENTRIES,
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
  type AuditShelf,
  mostOfWorld,
} from '../audit.ts'

export interface Shelved {
  readonly entry: AuditEntry
  readonly shelf: AuditShelf
}

export class MemoryAudit implements AuditLog {
  readonly #most: number
  readonly #shelves: { readonly [Name in AuditShelf]: Map<number, AuditEntry> } = {
    admin: new Map(),
    worlds: new Map(),
    guests: new Map(),
  }
  /** The ids of each world's entries, oldest first. */
  readonly #ofWorlds = new Map<string, number[]>()
  #last = 0

  constructor(most = AUDIT_ENTRIES) {
    this.#most = most
  }

  get size(): number {
    return this.#all().reduce((sum, { size }) => sum + size, 0)
  }

  async add(entry: Omit<AuditEntry, 'id'>, shelf: AuditShelf): Promise<void> {
    this.put({ entry: { id: this.#last + 1, ...entry }, shelf })
  }

  /** Adds an entry whose id is higher than all before. */
  put({ entry, shelf }: Shelved): void {
    this.#last = entry.id
    this.#makeRoom(entry, this.#shelves[shelf])
    this.#shelves[shelf].set(entry.id, entry)
    if (entry.world === null) return
    const own = this.#ofWorlds.get(entry.world)
    if (own) own.push(entry.id)
    else this.#ofWorlds.set(entry.world, [entry.id])
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const found = this.#all().flatMap((entries) =>
      [...entries.values()].filter((entry) => fits(entry, query)),
    )
    return found.toSorted((one, other) => other.id - one.id).slice(0, query.limit)
  }

  shelved(): readonly Shelved[] {
    const all = Object.entries(this.#shelves) as [AuditShelf, Map<number, AuditEntry>][]
    return all
      .flatMap(([shelf, entries]) => [...entries.values()].map((entry) => ({ entry, shelf })))
      .toSorted((one, other) => one.entry.id - other.entry.id)
  }

  /** A world at its limit loses its oldest entry, so that it takes no space from others. */
  #makeRoom({ world }: AuditEntry, shelf: Map<number, AuditEntry>): void {
    const own = (world === null ? undefined : this.#ofWorlds.get(world)) ?? []
    if (own.length >= mostOfWorld(this.#most)) this.#forget(own[0]!)
    if (shelf.size >= this.#most) this.#forget(shelf.keys().next().value!)
  }

  #all() {
    return Object.values(this.#shelves)
  }

  #forget(id: number): void {
    const shelf = this.#all().find((each) => each.has(id))
    const { world = null } = shelf?.get(id) ?? {}
    shelf?.delete(id)
    const own = world === null ? undefined : this.#ofWorlds.get(world)
    if (!own) return
    own.splice(own.indexOf(id), 1)
    if (own.length === 0) this.#ofWorlds.delete(world!)
  }
}

function fits(
  { actor: by, ...entry }: AuditEntry,
  { actor, operation, world, since, until, before }: AuditQuery,
): boolean {
  return (
    (actor === undefined || by.name === actor || by.username === actor) &&
    (operation === undefined || entry.operation === operation) &&
    (world === undefined || entry.world === world || by.world === world) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at < until) &&
    (before === undefined || entry.id < before)
  )
}
