/** Who did something that changed a sandbox or one of its worlds. */
export interface AuditActor {
  /** Whoever has a token of `/__admin`, whoever needed none, or an API key of a world. */
  readonly kind: 'admin' | 'anybody' | 'key'
  /** Of the token or the key, for people. */
  readonly name: string | null
  readonly username: string | null
  readonly role: string | null
  /** The world of the key. */
  readonly world: string | null
  /** Where the request came from, as far as that is known. */
  readonly address: string | null
}

/** What was done, and by whom. */
export interface AuditEntry {
  /** Rises with time. */
  readonly id: number
  /** Milliseconds on the wall. */
  readonly at: number
  readonly request_id: string
  readonly operation: string
  /** The world that it was done to; null for what is of all of them. */
  readonly world: string | null
  readonly by: AuditActor
  readonly status: number
  /** The name of what it was about or what was made by it, such as a key's or a snapshot's. */
  readonly subject: string | null
  /** The request without what is secret, and without what is long. Values are those of JSON. */
  readonly asked: { readonly [part: string]: unknown }
}

/** Whose entries push out each other, so that nobody pushes out those of others: those of `/__admin`, of worlds, of worlds of strangers. */
export type AuditShelf = 'admin' | 'worlds' | 'guests'

export interface AuditQuery {
  /** The name of an administrator's token or of a key, or an API username. */
  readonly who?: string | undefined
  readonly operation?: string | undefined
  /** What was done to a world, and by its keys. */
  readonly world?: string | undefined
  /** From this moment on, and until before that one, milliseconds on the wall. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only entries with lower ids. */
  readonly before?: number | undefined
  readonly limit: number
}

/** What was done to a sandbox by those who may change it, over all who share the engine. It outlives worlds, their resets and their snapshots. */
export interface AuditLog {
  /** Resolves when it is kept. Of a shelf that is full the oldest goes, and of a world that has a tenth of it. */
  add(entry: Omit<AuditEntry, 'id'>, shelf: AuditShelf): Promise<void>
  /** The newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>
}

/** How many entries are kept on each shelf when nothing else is said. */
export const AUDIT_ENTRIES = 10_000

/** How many of a shelf one world may have. */
export const mostOfWorld = (entries: number): number => Math.max(Math.floor(entries / 10), 1)
