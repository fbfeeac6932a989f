import { sliceOf } from '../../../lib/clock/clock.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import { type RowChange, stillValid, type StoredRows, type WorldRows } from '../../store/change.ts'
import { type Key, type TableName, tables } from '../../store/tables.ts'
import { worldInSlices, type WorldTables } from '../../store/world.ts'
import { cardIn, cardValues, noteInvitesOf } from './world-cards.ts'
import { BEGIN, type Database, type Statement, statement } from './database.ts'
import { lockWaiting, Replica, type Replicas, textOf, writeTo } from './replicas.ts'
import { forgetOld, putChanges, putParts } from './parts.ts'
import { holderOf, revokedOf, type RevokedRow, revokedSince } from './snapshots.ts'
import { TooManyWorlds } from '../worlds.ts'

/** Appends a change to the log of a locked life. */
const appendOne = statement`
  with w as (
    update worlds set version = version + 1, log_bytes = log_bytes + $5::bigint
     where name = $1 and life = $2 returning version, born)
  insert into log(world, life, version, batch, writes, born) select $1, $2, w.version, $3::uuid, $4, w.born from w`

/** Creates a world from existing parts unless its name exists. */
const createWorld = statement`
  with made as (
    insert into worlds(name, born, life, version, base, base_bytes, log_bytes) values ($1, $2, $3, 0, 0, $4, 0)
    on conflict (name) do update set name = excluded.name where worlds.life = excluded.life returning name
  ), carded as (
    insert into cards(world, next_due, pending, failing, parent, title, guest)
    select name, $5, $6, $7, $8, $9, $10 from made on conflict (world) do nothing
  )
  select name from made`

/** Gives a world another life, from existing parts. */
const replaceLife = statement`
  with replaced as (
    update worlds set life = $2, base = 0, base_bytes = $3, log_bytes = 0, touched = clock_timestamp()
     where name = $1 returning born, version
  ), carded as (
    update cards set next_due = $4, pending = $5, failing = $6, parent = $7, title = $8, guest = $9
      from replaced where world = $1
  )
  select born, version from replaced`

const dropWorld = statement`
  with gone as (delete from worlds where name = $1 returning life), card as (delete from cards where world = $1)
  select life from gone`

/** Begins a life with the rows of a snapshot. Its rows are locked, so that they are not deleted meanwhile. */
const beginWith = statement`
  insert into layers(world, holder, n, life, base, version)
  select world, $2, n, life, base, version from layers where world = $1 and holder = $3 for share returning n`

/** Deletes the parts of a life, except those of snapshots. */
const dropParts = statement`
  with gone as (delete from layers where world = $1 and holder = $2)
  delete from parts p where p.world = $1 and p.life = $2 and not exists (
    select 1 from layers s where s.world = p.world and s.holder <> $2 and s.life = p.life and s.base = p.base)`

const dropAllParts = statement`
  with gone as (delete from layers where world = $1 returning life)
  delete from parts where world = $1 and (life = $2 or life in (select life from gone))`

/** Deletes the logs of dropped worlds of a name. */
const dropLog = statement`
  delete from log l where l.world = $1 and not exists (
    select 1 from worlds w where w.name = l.world and (w.life = l.life or w.born = l.born))`

const dropOthers = ['snapshots', 'snapshot_ids', 'revoked', 'job_owners', 'invites'].map(
  (table) => statement`delete from ${table} where world = $1`,
)

interface Kept {
  readonly born: string
  readonly version: number
}

/** A life whose rows are in the database, not yet assigned to a world. */
interface NewLife {
  /** The snapshot that it begins with; its own parts contain the changes. */
  readonly snapshot: number | undefined
  readonly life: string
  readonly bytes: number
  readonly tables: WorldTables
}

export type WorldIncarnations = ReturnType<typeof createIncarnations>

/**
 * Creates, replaces and drops worlds. The caller must hold the world's locks. Rows are first written as an unassigned life, which a
 * single statement then assigns to the world.
 */
export function createIncarnations(database: Database, replicas: Replicas) {
  /** Replaces all rows of a world, or creates it. */
  async function begin(
    name: string,
    rows: WorldRows,
    since?: number,
    stored?: StoredRows,
  ): Promise<'created' | 'replaced'> {
    const made = await put(name, rows, since === undefined ? undefined : stored)
    for (;;) {
      const replica = since === undefined ? await replace(name, made) : await restore(name, made, rows, since)
      // The snapshot was deleted meanwhile.
      if (!replica && made.snapshot !== undefined) return begin(name, rows, since)
      if (replica) {
        replicas.set(name, replica)
        await replicas.onLeap(name, replica)
        return 'replaced'
      }
      if (await give(name, made, Infinity)) return 'created'
    }
  }

  async function replace(name: string, { life, bytes, tables }: NewLife): Promise<Replica | undefined> {
    const values = [name, life, bytes, ...cardValues(cardIn(tables))]
    const [kept] = await database.query<Kept>(replaceLife, values)
    return kept && new Replica({ ...kept, life }, tables)
  }

  /** Like `replace`, for rows of an earlier version: keys revoked since are revoked in the same transaction. */
  function restore(name: string, { snapshot, life, bytes, tables }: NewLife, rows: WorldRows, since: number) {
    return database.lend(async (client) => {
      const [, , found, layers] = await Promise.all([
        client.query(BEGIN),
        client.query({ ...lockWaiting, values: [[name]] }),
        client.query({ ...revokedSince, values: [name, since] }),
        snapshot !== undefined && client.query({ ...beginWith, values: [name, life, holderOf(snapshot)] }),
      ])
      if (layers && layers.rows.length === 0) {
        await client.query('rollback')
        return undefined
      }
      const keys = stillValid(rows, revokedOf(found.rows as RevokedRow[]))
      const writes = textOf(keys.map((row) => ({ table: 'apiKeys', key: row.username, row })))
      const [replaced] = await Promise.all([
        client.query({ ...replaceLife, values: [name, life, bytes, ...cardValues(cardIn(tables))] }),
        keys.length > 0 &&
          client.query({ ...appendOne, values: [name, life, systemUuid(), writes, writes.length] }),
        client.query('commit'),
      ])
      const [kept] = replaced.rows as Kept[]
      const replica = kept && new Replica({ ...kept, life }, tables)
      if (keys.length > 0) replica?.apply({ version: replica.version + 1, writes, time: null })
      return replica
    })
  }

  async function put(name: string, rows: WorldRows, stored?: StoredRows): Promise<NewLife> {
    const life = systemUuid()
    const place = { name, life, base: 0 }
    await noteInvitesOf(database, name, rows)
    if (stored) {
      const { snapshot, tables } = stored
      const changes = changesBetween(stored.rows, rows)
      writeTo(tables, changes)
      const bytes = stored.bytes + (await putChanges(database, place, changes))
      return { snapshot, life, bytes, tables }
    }
    const tables = await worldInSlices(rows, sliceOf(name))
    const bytes = await putParts(database, place, rows)
    return { snapshot: undefined, life, bytes, tables }
  }

  async function give(name: string, { life, bytes, tables }: NewLife, most: number): Promise<boolean> {
    const born = systemUuid()
    const values = [name, born, life, bytes, ...cardValues(cardIn(tables))]
    const made = await makeOneOf(database, most, { name, life, values })
    if (made) replicas.set(name, new Replica({ born, life, version: 0 }, tables))
    return made
  }

  return {
    begin,
    /** Creates a world unless it exists. Returns whether it did. @throws {TooManyWorlds} If `most` worlds exist. */
    make: async (name: string, rows: WorldRows, most: number): Promise<boolean> =>
      give(name, await put(name, rows), most),
    /** Deletes a world in one transaction: what another process keeps for the next world of its name stays. */
    async end(name: string): Promise<void> {
      await database.lend(async (client) => {
        const run = (each: Statement, ...values: unknown[]) =>
          client.query({ ...each, values: [name, ...values] })
        const [, { rows }] = await Promise.all([client.query(BEGIN), run(dropWorld)])
        const [gone] = rows as readonly { readonly life: string }[]
        // Snapshots before their layers, as where a snapshot is deleted.
        const left = gone
          ? [...dropOthers.map((each) => run(each)), run(dropAllParts, gone.life), run(dropLog)]
          : []
        await Promise.all([...left, client.query('commit')])
      }, 2)
      replicas.know(name)
      replicas.drop(name)
    },
    async forget(name: string, life: string): Promise<void> {
      await database.query(dropParts, [name, life])
      await forgetOld(database, name)
    },
  }
}

/** Compares rows by identity: lists that were not changed are the same. */
function changesBetween(before: WorldRows, after: WorldRows): RowChange[] {
  const changes: RowChange[] = []
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as TableName[])
  for (const table of names) {
    if (before[table] === after[table]) continue
    const keyOf = tables[table].key as (row: object) => Key
    const left = new Map((before[table] ?? []).map((row) => [keyOf(row), row as object]))
    for (const row of after[table] ?? []) {
      const key = keyOf(row)
      if (left.get(key) !== row) changes.push({ table, key, row })
      left.delete(key)
    }
    for (const key of left.keys()) changes.push({ table, key, row: undefined })
  }
  return changes
}

/** Serializes creations, so that each sees the ones before. */
const lockMaking = statement`select one from making for update`
const roomFor = statement`select count(*) as worlds from worlds where name <> $1`

interface NewWorld {
  readonly name: string
  readonly life: string
  readonly values: readonly unknown[]
}

/** Creates a world unless it exists. Returns whether it did. @throws {TooManyWorlds} If `most` worlds exist. */
async function makeOneOf(database: Database, most: number, world: NewWorld): Promise<boolean> {
  if (most === Infinity) return (await database.query(createWorld, world.values)).length > 0
  const made = await database.lend(async (client) => {
    const [, , found] = await Promise.all([
      client.query(BEGIN),
      client.query(lockMaking),
      client.query({ ...roomFor, values: [world.name] }),
    ])
    const isFull = (found.rows as readonly { readonly worlds: number }[])[0]!.worlds >= most
    const [created] = await Promise.all([
      isFull ? undefined : client.query({ ...createWorld, values: [...world.values] }),
      client.query(isFull ? 'rollback' : 'commit'),
    ])
    return created?.rows.length
  })
  if (made !== undefined) return made > 0
  await database.query(dropParts, [world.name, world.life])
  throw new TooManyWorlds(`there are ${most} worlds`)
}
