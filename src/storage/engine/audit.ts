/** Who changed a sandbox or one of its worlds. */
export interface AuditActor {
  /** An administrator with a token, anyone where no token is required, or an API key of a world. */
  readonly kind: 'admin' | 'anonymous' | 'key'
  /** The name of the token or key. */
  readonly name: string | null
  readonly username: string | null
  readonly role: string | null
  /** The world of the key. */
  readonly world: string | null
  /** The client's address, if known. */
  readonly address: string | null
}

export interface AuditEntry {
  readonly id: number
  readonly at: number
  readonly request_id: string
  readonly operation: string
  /** The changed world; null for changes of the whole sandbox. */
  readonly world: string | null
  readonly actor: AuditActor
  readonly status: number
  /** The name of the changed or created item, such as a key or a snapshot. */
  readonly subject: string | null
  /** The request as JSON values, without secrets and long values. */
  readonly requested: { readonly [part: string]: unknown }
}

/** Each shelf has its own limit, so that guests cannot push out the entries of others. */
export type AuditShelf = 'admin' | 'worlds' | 'guests'

export interface AuditQuery {
  /** The name of an administrator's token or a key, or an API username. */
  readonly actor?: string | undefined
  readonly operation?: string | undefined
  /** Changes of a world, and changes by its keys. */
  readonly world?: string | undefined
  /** From `since` to before `until`, milliseconds in real time. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly before?: number | undefined
  readonly limit: number
}

/** The audit log, shared by all processes. It outlives worlds, their resets and their snapshots. */
export interface AuditLog {
  /** Resolves when the entry is stored. A full shelf loses its oldest entry; a world may use a tenth of a shelf. */
  add(entry: Omit<AuditEntry, 'id'>, shelf: AuditShelf): Promise<void>
  list(query: AuditQuery): Promise<readonly AuditEntry[]>
}

export const AUDIT_ENTRIES = 10_000

/** Maximum number of a shelf's entries for one world. */
export const mostOfWorld = (entries: number): number => Math.max(Math.floor(entries / 10), 1)
