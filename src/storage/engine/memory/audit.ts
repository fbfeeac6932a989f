import { AUDIT_ENTRIES, type AuditEntry, type AuditQuery, type AuditShelf, mostOfWorld } from '../audit.ts'

export interface Shelved {
  readonly entry: AuditEntry
  readonly shelf: AuditShelf
}

export function memoryAudit(most = AUDIT_ENTRIES) {
  const shelves: { readonly [Name in AuditShelf]: Map<number, AuditEntry> } = {
    admin: new Map(),
    worlds: new Map(),
    guests: new Map(),
  }
  /** The ids of each world's entries, oldest first. */
  const ofWorlds = new Map<string, number[]>()
  let lastId = 0

  /** Adds an entry whose id is higher than all before. */
  function put({ entry, shelf }: Shelved): void {
    lastId = entry.id
    makeRoom(entry, shelves[shelf])
    shelves[shelf].set(entry.id, entry)
    if (entry.world === null) return
    const own = ofWorlds.get(entry.world)
    if (own) own.push(entry.id)
    else ofWorlds.set(entry.world, [entry.id])
  }

  /** A world at its limit loses its oldest entry, so that it takes no space from others. */
  function makeRoom({ world }: AuditEntry, shelf: Map<number, AuditEntry>): void {
    const own = (world === null ? undefined : ofWorlds.get(world)) ?? []
    if (own.length >= mostOfWorld(most)) forget(own[0]!)
    if (shelf.size >= most) forget(shelf.keys().next().value!)
  }

  const maps = () => Object.values(shelves)

  function forget(id: number): void {
    const shelf = maps().find((each) => each.has(id))
    const { world = null } = shelf?.get(id) ?? {}
    shelf?.delete(id)
    const own = world === null ? undefined : ofWorlds.get(world)
    if (!own) return
    own.splice(own.indexOf(id), 1)
    if (own.length === 0) ofWorlds.delete(world!)
  }

  return {
    get size() {
      return maps().reduce((sum, { size }) => sum + size, 0)
    },
    async add(entry: Omit<AuditEntry, 'id'>, shelf: AuditShelf): Promise<void> {
      put({ entry: { id: lastId + 1, ...entry }, shelf })
    },
    put,
    async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
      const found = maps().flatMap((entries) => [...entries.values()].filter((entry) => fits(entry, query)))
      return found.toSorted((one, other) => other.id - one.id).slice(0, query.limit)
    },
    shelved(): readonly Shelved[] {
      const all = Object.entries(shelves) as [AuditShelf, Map<number, AuditEntry>][]
      return all
        .flatMap(([shelf, entries]) => [...entries.values()].map((entry) => ({ entry, shelf })))
        .toSorted((one, other) => one.entry.id - other.entry.id)
    },
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
