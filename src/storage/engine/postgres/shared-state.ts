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
import { AUDIT_ENTRIES, type AuditEntry, type AuditLog, type AuditShelf, mostOfWorld } from '../audit.ts'

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

export function postgresSettings(database: Database, onError: OnError): SharedSettings {
  const listeners: Listeners<[name: string, value: unknown]> = new Listeners<[name: string, value: unknown]>(
    (error, setting) => onError(error, { of: 'settings', setting }),
  )
  const known = new Map<string, { readonly value: unknown; readonly version: number }>()

  async function look(): Promise<void> {
    for (const row of await database.query<SettingRow>(readSettings, [])) heard(row)
  }

  function heard({ name, value: text, version }: SettingRow): void {
    if (version <= (known.get(name)?.version ?? 0)) return
    const value: unknown = JSON.parse(text) ?? undefined
    known.set(name, { value, version })
    listeners.tell(name, value)
  }

  return {
    get: (name) => known.get(name)?.value,
    look,
    async change(name, work) {
      for (;;) {
        await look()
        const before = known.get(name)
        const value = JSON.stringify(work(before?.value) ?? null)
        const [row] = await database.query<{ version: number }>(setSetting, [
          name,
          value,
          before?.version ?? 0,
        ])
        if (row) return heard({ name, value, version: row.version })
      }
    },
    onChanged: (listener) => listeners.add(listener),
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
export const forgetProcesses = statement`delete from processes where seen < clock_timestamp() - interval '1 hour'`

export function postgresProcesses(
  database: Database,
): Processes & { tend(since: number): Promise<void>; close(): Promise<void> } {
  const ownId = systemUuid()
  let joined:
    | { readonly card: () => ProcessCard; readonly onSeen: (all: readonly ListedProcess[]) => void }
    | undefined
  let idle = BEATS_EVERY

  async function list(): Promise<readonly ListedProcess[]> {
    await report()
    const rows = await database.query<ProcessRow>(listProcesses, [])
    return rows.map(({ id, told, ...row }) => ({
      ...row,
      told: JSON.parse(told) as ListedProcess['told'],
      own: id === ownId,
    }))
  }

  async function report(): Promise<void> {
    if (!joined) return
    const { name, version, told } = joined.card()
    await database.query(beat, [ownId, name, version, JSON.stringify(told)])
  }

  return {
    join(card, onSeen) {
      joined ??= { card, onSeen }
    },
    list,
    async tend(since: number): Promise<void> {
      idle += since
      if (!joined || idle < BEATS_EVERY) return
      idle = 0
      joined.onSeen(await list())
    },
    async close() {
      await database.query(leaveProcesses, [ownId])
    },
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

export function postgresAudit(
  database: Database,
  most = AUDIT_ENTRIES,
): AuditLog & { sweep(): Promise<void> } {
  return {
    async add(entry, shelf) {
      const { at, operation, world, actor, request_id } = entry
      const { world: byWorld, name, username } = actor
      const found = [shelf, at, operation, JSON.stringify(entry), world, byWorld, name, username]
      await database.query(add, [...found, mostOfWorld(most), request_id])
    },
    async list(query) {
      const { actor, operation, world, since, until, before, limit } = query
      // PostgreSQL texts cannot contain this character, so nothing matches.
      if ([actor, operation, world].some((text) => text?.includes('\0'))) return []
      const asked = [actor, operation, world, since, until, before].map((value) => value ?? null)
      const rows = await database.query<{ id: number; entry: string }>(list, [...asked, limit])
      return rows.map(({ id, entry }) => ({ id, ...(JSON.parse(entry) as Omit<AuditEntry, 'id'>) }))
    },
    async sweep() {
      for (const shelf of ['admin', 'worlds', 'guests'] satisfies AuditShelf[])
        await database.query(forget, [shelf, most])
    },
  }
}
