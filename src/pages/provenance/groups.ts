import type { Provenance, ProvenanceEntry } from './entries.ts'

/** An entry in its place on the page. */
export interface Placed extends ProvenanceEntry {
  /** The anchor that leads to it. */
  readonly id: string
  /** Its note where it says more than that of its group. */
  readonly note: string
}

/** An operation or a schema, and what belongs to it. */
export interface Group {
  readonly head: Placed
  readonly rows: readonly Placed[]
  /** How many of it, the head among them, are of each origin. */
  readonly counts: Readonly<Partial<Record<Provenance, number>>>
}

/** What is listed one after the other, by the operation or schema that each belongs to. */
export function groupsOf(entries: readonly ProvenanceEntry[]): readonly Group[] {
  const groups: { head: Placed; rows: Placed[]; counts: Partial<Record<Provenance, number>> }[] = []
  for (const entry of entries) {
    if (isHead(entry)) groups.push({ head: { ...entry, id: anchorOf(entry) }, rows: [], counts: {} })
    const group = groups.at(-1)!
    group.counts[entry.provenance] = (group.counts[entry.provenance] ?? 0) + 1
    if (isHead(entry)) continue
    const note = entry.note === group.head.note ? '' : entry.note
    group.rows.push({ ...entry, note, id: anchorOf(entry) })
  }
  return groups
}

const isHead = ({ kind }: ProvenanceEntry) => kind === 'operation' || kind === 'schema'

/** `createCollection`, `createCollection.status.201`, `CreateCollectionRequest.amount`. */
function anchorOf({ kind, operation, name }: ProvenanceEntry): string {
  if (kind === 'operation') return operation
  const plain = name.replaceAll(' ', '.')
  return operation === '' ? plain : `${operation}.${kind}.${plain}`
}
