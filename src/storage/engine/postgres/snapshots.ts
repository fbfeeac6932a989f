import { type Revoked, withRevoked, type WorldRows } from '../../store/change.ts'
import type { Snapshot, SnapshotStore } from '../snapshots.ts'
import { type Database, statement } from './database.ts'

const nextId = statement(
  'next_snapshot',
  `insert into snapshot_ids(world, last) values ($1, 1)
   on conflict (world) do update set last = snapshot_ids.last + 1 returning last`,
)
const add = statement(
  'add_snapshot',
  `insert into snapshots(world, id, head, rows, bytes) values ($1, $2, $3, $4, $5)
   on conflict (world, id) do nothing`,
)
const heads = statement(
  'snapshot_heads',
  'select id, head, bytes from snapshots where world = $1 order by id',
)
const all = statement('snapshots', 'select id, head, rows, bytes from snapshots where world = $1 order by id')
const one = statement('snapshot', 'select id, head, rows, bytes from snapshots where world = $1 and id = $2')
const remove = statement('delete_snapshot', 'delete from snapshots where world = $1 and id = $2 returning id')
/** Written in the transaction that revokes a key. */
export const noteRevoked = statement(
  'note_revoked',
  `insert into revoked(world, username, at, version)
   select * from unnest($1::text[], $2::text[], $3::float8[], $4::bigint[])
   on conflict (world, username) do update set at = excluded.at, version = excluded.version, noted = clock_timestamp()`,
)
export const revokedSince = statement(
  'revoked_since',
  'select username, at from revoked where world = $1 and version > $2',
)
/** A snapshot in progress may have begun before the key was revoked. */
const forgetRevoked = statement(
  'forget_revoked',
  `delete from revoked r where noted < clock_timestamp() - interval '10 minutes'
     and not exists (select 1 from snapshots s where s.world = r.world)`,
)
const drops = ['snapshots', 'snapshot_ids', 'revoked'].map((table) =>
  statement(`drop_${table}`, `delete from ${table} where world = $1`),
)

interface Head {
  readonly id: number
  readonly head: string
  readonly bytes: number
}
type Row = Head & { readonly rows: string }

export interface RevokedRow {
  readonly username: string
  readonly at: number
}

export const revokedOf = (rows: readonly RevokedRow[]): Revoked =>
  new Map(rows.map(({ username, at }) => [username, at]))

export class PostgresSnapshots implements SnapshotStore {
  readonly #database: Database
  /** As of the last query of this process. */
  readonly #spent = new Map<string, { readonly count: number; readonly bytes: number }>()

  constructor(database: Database) {
    this.#database = database
  }

  async add(world: string, snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot> {
    const [row] = await this.#database.query<{ last: number }>(nextId, [world])
    const id = row!.last
    const { rows, bytes, ...head } = snapshot
    await this.#database.query(add, [world, id, JSON.stringify(head), JSON.stringify(rows), bytes])
    await this.look(world)
    return { id, ...snapshot }
  }

  async get(world: string, id: number): Promise<Snapshot | undefined> {
    const [row] = await this.#database.query<Row>(one, [world, id])
    if (!row) return undefined
    const { rows, ...snapshot } = snapshotOf(row)
    const revoked = await this.#database.query<RevokedRow>(revokedSince, [world, snapshot.rows_version])
    return { ...snapshot, rows: withRevoked(rows, revokedOf(revoked)) }
  }

  async list(world: string): Promise<readonly Snapshot[]> {
    const rows = await this.#database.query<Row>(all, [world])
    this.#count(world, rows)
    return rows.map(snapshotOf)
  }

  async delete(world: string, id: number): Promise<boolean> {
    const gone = await this.#database.query(remove, [world, id])
    await this.look(world)
    return gone.length > 0
  }

  /** Deletes revoked keys of worlds without snapshots. */
  async sweep(): Promise<void> {
    await this.#database.query(forgetRevoked, [])
  }

  spent(world: string) {
    return this.#spent.get(world) ?? NONE
  }

  async look(world: string): Promise<void> {
    this.#count(world, await this.#database.query<Head>(heads, [world]))
  }

  forget(world: string): void {
    this.#spent.delete(world)
  }

  async drop(world: string): Promise<void> {
    this.forget(world)
    for (const each of drops) await this.#database.query(each, [world])
  }

  #count(world: string, rows: readonly Head[]): void {
    this.#spent.set(world, { count: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) })
  }
}

const NONE = { count: 0, bytes: 0 }

const snapshotOf = ({ id, head, rows, bytes }: Row): Snapshot => ({
  id,
  ...(JSON.parse(head) as Pick<Snapshot, 'name' | 'at' | 'clock' | 'rows_version'>),
  rows: JSON.parse(rows) as WorldRows,
  bytes,
})
