import { Listeners, type OnError } from '../../../lib/listeners.ts'
import type {
  ListedProcess,
  Locks,
  Measures,
  ProcessCard,
  Processes,
  SharedSettings,
} from '../shared-state.ts'
import { type Database, statement } from './database.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import {
  AUDIT_ENTRIES,
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
  type AuditShelf,
  mostOfWorld,
} from '../audit.ts'

interface SettingRow {
  readonly name: string
  readonly value: string
  readonly version: number
}

const readSettings = statement`select name, value, version from settings`
const setSetting = statement`
  insert into settings as s (name, value, version) values ($1, $2, 1)
  on conflict (name) do update set value = excluded.value, version = s.version + 1 where s.version = $3
  returning version`

export class PostgresSettings implements SharedSettings {
  readonly #database: Database
  readonly #listeners: Listeners<[name: string, value: unknown]>
  readonly #known = new Map<string, { readonly value: unknown; readonly version: number }>()

  constructor(database: Database, onError: OnError) {
    this.#database = database
    this.#listeners = new Listeners<[name: string, value: unknown]>((error, setting) =>
      onError(error, { of: 'settings', setting }),
    )
  }

  get(name: string): unknown {
    return this.#known.get(name)?.value
  }

  async look(): Promise<void> {
    for (const row of await this.#database.query<SettingRow>(readSettings, [])) this.#heard(row)
  }

  async change(name: string, work: (value: unknown) => unknown): Promise<void> {
    for (;;) {
      await this.look()
      const before = this.#known.get(name)
      const value = JSON.stringify(work(before?.value) ?? null)
      const [row] = await this.#database.query<{ version: number }>(setSetting, [
        name,
        value,
        before?.version ?? 0,
      ])
      if (row) return this.#heard({ name, value, version: row.version })
    }
  }

  onChanged(listener: (name: string, value: unknown) => void): () => void {
    return this.#listeners.add(listener)
  }

  #heard({ name, value: text, version }: SettingRow): void {
    if (version <= (this.#known.get(name)?.version ?? 0)) return
    const value: unknown = JSON.parse(text) ?? undefined
    this.#known.set(name, { value, version })
    this.#listeners.tell(name, value)
  }
}

/** How often a process reports, milliseconds. */
const BEATS_EVERY = 5_000

interface ProcessRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly told: string
  readonly since: number
  readonly seen: number
}

const beat = statement`
  insert into processes(id, name, version, told) values ($1, $2, $3, $4)
  on conflict (id) do update set name = excluded.name, version = excluded.version, told = excluded.told,
    seen = clock_timestamp()`
const listProcesses = statement`
  select id::text as id, name, version, told, extract(epoch from since)::float8 * 1000 as since,
    extract(epoch from seen)::float8 * 1000 as seen
    from processes where seen > clock_timestamp() - interval '20 seconds' order by since, id`
const leaveProcesses = statement`delete from processes where id = $1`
const forgetProcesses = statement`delete from processes where seen < clock_timestamp() - interval '1 hour'`

export class PostgresProcesses implements Processes {
  readonly #database: Database
  readonly #id = systemUuid()
  #own:
    | { readonly card: () => ProcessCard; readonly onSeen: (all: readonly ListedProcess[]) => void }
    | undefined
  #since = BEATS_EVERY

  constructor(database: Database) {
    this.#database = database
  }

  join(card: () => ProcessCard, onSeen: (all: readonly ListedProcess[]) => void): void {
    this.#own ??= { card, onSeen }
  }

  async list(): Promise<readonly ListedProcess[]> {
    await this.#beat()
    const rows = await this.#database.query<ProcessRow>(listProcesses, [])
    return rows.map(({ id, told, ...row }) => ({
      ...row,
      told: JSON.parse(told) as ListedProcess['told'],
      own: id === this.#id,
    }))
  }

  async tend(since: number): Promise<void> {
    this.#since += since
    if (!this.#own || this.#since < BEATS_EVERY) return
    this.#since = 0
    this.#own.onSeen(await this.list())
  }

  async sweep(): Promise<void> {
    await this.#database.query(forgetProcesses, [])
  }

  async close(): Promise<void> {
    await this.#database.query(leaveProcesses, [this.#id])
  }

  async #beat(): Promise<void> {
    if (!this.#own) return
    const { name, version, told } = this.#own.card()
    await this.#database.query(beat, [this.#id, name, version, JSON.stringify(told)])
  }
}

const beginWork = statement`
  insert into calendar(name, due_at) values ($1, $2)
  on conflict (name) do update set due_at = excluded.due_at where calendar.due_at < excluded.due_at returning name`

export const postgresLocks = (database: Database): Locks => ({
  async runOnce(name, due_at, work) {
    const [begun] = await database.query(beginWork, [name, due_at])
    if (begun) await work()
    return begun !== undefined
  },
})

/** @param caughtUp - Returns the number of changes read from other processes. */
export const postgresMeasures = (database: Database, caughtUp: () => number): Measures => ({
  measure: (meter) => void (database.meter = meter),
  get databases() {
    return [{ shard: 1, unavailable: database.unavailable !== undefined, connections: database.connections }]
  },
  get caughtUp() {
    return caughtUp()
  },
})

const add = statement`
  with spare as (
    delete from audit where world = $5 and id <= (
      select id from audit where world = $5 order by id desc offset $9::int - 1 limit 1)
  )
  insert into audit(request_id, shelf, at, operation, entry, world, by_world, name, username)
  values ($10, $1, $2, $3, $4, $5, $6, $7, $8) on conflict (request_id) do nothing`
const list = statement`
  select id, entry from audit
   where ($1::text is null or name = $1 or username = $1)
     and ($2::text is null or operation = $2)
     and ($3::text is null or world = $3 or by_world = $3)
     and ($4::float8 is null or at >= $4)
     and ($5::float8 is null or at < $5)
     and ($6::bigint is null or id < $6)
   order by id desc limit $7::int`
const forget = statement`
  delete from audit where shelf = $1 and id <= (
    select id from audit where shelf = $1 order by id desc offset $2::int limit 1)`

export class PostgresAudit implements AuditLog {
  readonly #database: Database
  readonly #most: number

  constructor(database: Database, most = AUDIT_ENTRIES) {
    this.#database = database
    this.#most = most
  }

  async add(entry: Omit<AuditEntry, 'id'>, shelf: AuditShelf): Promise<void> {
    const { at, operation, world, actor, request_id } = entry
    const { world: byWorld, name, username } = actor
    const found = [shelf, at, operation, JSON.stringify(entry), world, byWorld, name, username]
    await this.#database.query(add, [...found, mostOfWorld(this.#most), request_id])
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { actor, operation, world, since, until, before, limit } = query
    // PostgreSQL texts cannot contain this character, so nothing matches.
    if ([actor, operation, world].some((text) => text?.includes('\0'))) return []
    const asked = [actor, operation, world, since, until, before].map((value) => value ?? null)
    const rows = await this.#database.query<{ id: number; entry: string }>(list, [...asked, limit])
    return rows.map(({ id, entry }) => ({ id, ...(JSON.parse(entry) as Omit<AuditEntry, 'id'>) }))
  }

  async sweep(): Promise<void> {
    for (const shelf of ['admin', 'worlds', 'guests'] satisfies AuditShelf[])
      await this.#database.query(forget, [shelf, this.#most])
  }
}
