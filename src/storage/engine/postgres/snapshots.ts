import { systemUuid } from '../../../lib/random/random.ts'
import { countOf } from '../../store/file/format.ts'
import { type Revoked, StoreUnavailable, withRevoked } from '../../store/change.ts'
import type { SnapshotHead, SnapshotStore } from '../snapshots.ts'
import { type Database, statement } from './database.ts'
import { compact, forgetOld, putParts, readSnapshot } from './parts.ts'
import type { Replicas } from './replicas.ts'

/** Returns also of how many earlier lives the rows of the world are. */
const nextId = statement`
  insert into snapshot_ids(world, last) values ($1, 1)
  on conflict (world) do update set last = snapshot_ids.last + 1
  returning last, (select count(*) from worlds w join layers y on y.world = w.name and y.holder = w.life
                    where w.name = $1 and w.base = 0) as layers`
/** Ids start anew when a world is dropped and created again meanwhile: then there may be a snapshot of this id. */
const add = statement`
  with made as (
    insert into snapshots(world, id, head, version, bytes, stored) values ($1, $4, $5, $6, $7, $8)
    on conflict (world, id) do nothing returning world
  )
  insert into layers(world, holder, n, life, base, version) select world, $2, 0, $3, 0, 0 from made`
/** Shares the rows of a world. Its lock keeps them from being replaced and deleted meanwhile. */
const take = statement`
  with w as (
    select name, life, base, version, base_bytes + log_bytes as stored from worlds where name = $1 for share
  ), earlier as (
    select y.n, y.life, y.base, y.version from layers y join w on y.world = w.name and y.holder = w.life and w.base = 0
  ), made as (
    insert into snapshots(world, id, head, version, bytes, stored) select name, $3, $4, version, $5, stored from w
    on conflict (world, id) do nothing returning version
  ), layered as (
    insert into layers(world, holder, n, life, base, version)
    select $1, $2, n, life, base, e.version from earlier e, made
    union all select name, $2, (select count(*) from earlier)::int, life, base, w.version from w, made
  )
  select version from made`
const heads = statement`select id, head, version, bytes, stored from snapshots where world = $1 order by id`
const one = statement`select id, head, version, bytes, stored from snapshots where world = $1 and id = $2`
const remove = statement`
  with layered as (delete from layers where world = $1 and holder = $2)
  delete from snapshots where world = $1 and id = $3 returning id`
/** What the layers of a snapshot belong to. */
export const holderOf = (id: number): string => `snapshot ${id}`
/** With more lives, the rows are written anew, so that they do not become ever more. */
const MOST_LAYERS = 8
/** Written in the transaction that revokes a key. */
export const noteRevoked = statement`
  insert into revoked(world, username, at, version)
  select * from unnest($1::text[], $2::text[], $3::float8[], $4::bigint[])
  on conflict (world, username) do update set at = excluded.at, version = excluded.version, noted = clock_timestamp()`
export const revokedSince = statement`select username, at from revoked where world = $1 and version > $2`
/** Deletes revoked keys of worlds without snapshots. A snapshot in progress may have begun before the key was revoked. */
export const forgetRevoked = statement`
  delete from revoked r where noted < clock_timestamp() - interval '10 minutes'
    and not exists (select 1 from snapshots s where s.world = r.world)`
interface Row {
  readonly id: number
  readonly head: string
  readonly version: number
  readonly bytes: number
  readonly stored: number
}

export interface RevokedRow {
  readonly username: string
  readonly at: number
}

export const revokedOf = (rows: readonly RevokedRow[]): Revoked =>
  new Map(rows.map(({ username, at }) => [username, at]))

/** Snapshots share their rows with the life that they are from, as long as one of both needs them. */
export function postgresSnapshots(
  database: Database,
  replicas: Pick<Replicas, 'get'>,
): SnapshotStore & { forget(world: string): void } {
  /** As of the last query of this process. */
  const spent = new Map<string, { readonly count: number; readonly bytes: number }>()

  async function next(world: string) {
    const [row] = await database.query<{ last: number; layers: number }>(nextId, [world])
    return row!
  }

  async function look(world: string): Promise<void> {
    note(world, await database.query<Row>(heads, [world]))
  }

  function note(world: string, rows: readonly Row[]): void {
    spent.set(world, { count: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) })
  }

  return {
    async take(world, about) {
      const { last: id, layers } = await next(world)
      const replica = replicas.get(world)
      if (replica && layers >= MOST_LAYERS) await compact(database, world, replica)
      const { count = 0, bytes = 0 } = replica?.tables ?? {}
      const values = [world, holderOf(id), id, JSON.stringify({ ...about, count }), bytes]
      const [taken] = await database.query<{ version: number }>(take, values)
      if (!taken) throw new StoreUnavailable(`The world ${world} was removed meanwhile.`)
      await look(world)
      return { id, ...about, count, bytes, rows_version: taken.version }
    },
    async add(world, { rows, rows_version, bytes, ...about }) {
      const { last: id } = await next(world)
      const [life, count] = [systemUuid(), countOf(rows)]
      const stored = await putParts(database, { name: world, life, base: 0 }, rows)
      const head = JSON.stringify({ ...about, count })
      await database.query(add, [world, holderOf(id), life, id, head, rows_version, bytes, stored])
      await look(world)
      return { id, ...about, count, bytes, rows_version }
    },
    async get(world, id) {
      const [row] = await database.query<Row>(one, [world, id])
      if (!row) return undefined
      const { rows_version } = headOf(row)
      const tables = await readSnapshot(database, world, holderOf(id), row.stored)
      const rows = tables.rows()
      const revoked = await database.query<RevokedRow>(revokedSince, [world, rows_version])
      const stored = { snapshot: id, rows, tables, bytes: row.stored }
      return { ...headOf(row), rows: withRevoked(rows, revokedOf(revoked)), stored }
    },
    async list(world) {
      const rows = await database.query<Row>(heads, [world])
      note(world, rows)
      return rows.map(headOf)
    },
    async delete(world, id) {
      const gone = await database.query(remove, [world, holderOf(id), id])
      await forgetOld(database, world)
      await look(world)
      return gone.length > 0
    },
    spent: (world) => spent.get(world) ?? NONE,
    look,
    forget: (world) => void spent.delete(world),
  }
}

const NONE = { count: 0, bytes: 0 }

const headOf = ({ id, head, version, bytes }: Row): SnapshotHead => ({
  id,
  ...(JSON.parse(head) as Pick<SnapshotHead, 'name' | 'at' | 'clock' | 'count'>),
  rows_version: version,
  bytes,
})
