import {
  AUDIT_ENTRIES,
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
  type AuditShelf,
  mostOfWorld,
} from '../audit.ts'
import { type Database, statement } from './database.ts'

const add = statement(
  'add_audit',
  `with spare as (
     delete from audit where world = $5 and id <= (
       select id from audit where world = $5 order by id desc offset $9::int - 1 limit 1)
   )
   insert into audit(request_id, shelf, at, operation, entry, world, by_world, name, username)
   values ($10, $1, $2, $3, $4, $5, $6, $7, $8) on conflict (request_id) do nothing`,
)
const list = statement(
  'list_audit',
  `select id, entry from audit
    where ($1::text is null or name = $1 or username = $1)
      and ($2::text is null or operation = $2)
      and ($3::text is null or world = $3 or by_world = $3)
      and ($4::float8 is null or at >= $4)
      and ($5::float8 is null or at < $5)
      and ($6::bigint is null or id < $6)
    order by id desc limit $7::int`,
)
const forget = statement(
  'forget_audit',
  `delete from audit where shelf = $1 and id <= (
     select id from audit where shelf = $1 order by id desc offset $2::int limit 1)`,
)

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
