import { systemUuid } from '../../../lib/random/random.ts'
import { type Database, statement, UnusableDatabase } from './database.ts'

/** Maximum number of shards. World numbers of a shard are this far apart, so that no two worlds have the same. */
export const MOST_SHARDS = 64

/** A database that contains a part of the worlds. Neither changes, even if its address does. */
export interface ShardIdentity {
  readonly id: string
  /** Counted from 1, the home database, which also contains what belongs to no world. */
  readonly number: number
}

interface ShardRow {
  readonly id: string
  readonly home: string
}

const readShard = statement`select id::text as id, home::text as home from shard`
const addShard = statement`insert into shard(id, home) values ($1, $2) on conflict do nothing`
const listShards = statement`select id::text as id, number from shards order by number`
const enlist = statement`
  insert into shards(id, number) select $1, coalesce(max(number), 0) + 1 from shards on conflict do nothing`
const running = statement`
  select count(*) as running from processes where seen > clock_timestamp() - interval '20 seconds'`
const lastNumber = statement`select coalesce(max(number), 0) as last from cards`
const worldsOf = statement`select name from worlds order by name`
const placeAll = statement`
  insert into places(world, shard) select world, $2::uuid from unnest($1::text[]) as w(world)
  on conflict (world) do update set shard = excluded.shard, move = null`

async function identityOf(database: Database): Promise<ShardRow | undefined> {
  const [row] = await database.query<ShardRow>(readShard, [])
  return row
}

export const listed = (home: Database): Promise<readonly ShardIdentity[]> =>
  home.query<ShardIdentity>(listShards, [])

/** Checks a database that is to contain all worlds. @throws {UnusableDatabase} If it is one of several. */
export async function requireOnly(database: Database): Promise<void> {
  const own = await identityOf(database)
  if (!own) return
  if (own.id !== own.home)
    throw new UnusableDatabase(
      `${database.setting} leads to one of several databases of a sandbox. Set SANDBOX_DATABASE_URLS to the addresses of all, the first one first.`,
    )
  const { length } = await listed(database)
  if (length > 1)
    throw new UnusableDatabase(
      `${database.setting} leads to the first of ${length} databases of a sandbox. Set SANDBOX_DATABASE_URLS to the addresses of all.`,
    )
}

/** Identifies the home database, at the first start. @throws {UnusableDatabase} If it is another shard. */
export async function identifyHome(home: Database): Promise<ShardIdentity> {
  const drawn = systemUuid()
  await home.query(addShard, [drawn, drawn])
  const own = (await identityOf(home))!
  if (own.id !== own.home)
    throw new UnusableDatabase(
      `${home.setting} leads to a further database of the sandbox, not to the first one. Put the address of the first database first; the order of the others does not matter.`,
    )
  await home.query(enlist, [own.id])
  return { id: own.id, number: 1 }
}

/** Returns the identity of a database, or undefined if it is no shard yet. @throws {UnusableDatabase} If it is of another sandbox. */
export async function identify(
  database: Database,
  home: ShardIdentity,
  known: readonly ShardIdentity[],
): Promise<ShardIdentity | undefined> {
  const own = await identityOf(database)
  if (own && own.home !== home.id)
    throw new UnusableDatabase(
      `${database.setting} leads to a database of another sandbox. Correct the address, or use an empty database.`,
    )
  return known.find(({ id }) => id === own?.id)
}

/** Databases by identity. */
export type Opened = ReadonlyMap<ShardIdentity, Database>

/**
 * Adds a database to the shards. Worlds whose names now lead to it stay where they are.
 * @param leadsTo - Returns the id to which a world's name leads.
 * @throws {UnusableDatabase} If it contains worlds, or processes run, which would not look for worlds in it.
 */
export async function addToShards(
  database: Database,
  shards: Opened,
  leadsTo: (world: string, ids: readonly string[]) => string,
): Promise<void> {
  const [[home, homeDatabase]] = shards as unknown as [[ShardIdentity, Database]]
  const refusal = await homeDatabase.lend(async (client) => {
    // One process at a time.
    await client.query('begin')
    await client.query('select one from migrating for update')
    const before = await listed(homeDatabase)
    const own = await identityOf(database)
    if (before.some(({ id }) => id === own?.id)) return client.query('rollback').then(() => undefined)
    const why = await whyNot(database, own !== undefined, before.length, homeDatabase)
    if (why !== undefined) return client.query('rollback').then(() => why)
    await database.query(addShard, [systemUuid(), home.id])
    const { id } = (await identityOf(database))!
    await place(database, id, shards, leadsTo)
    await separateNumbers(database, before.length + 1, shards)
    await client.query(enlist.text, [id])
    await client.query('commit')
    return undefined
  })
  if (refusal !== undefined) throw new UnusableDatabase(`${database.setting} leads to ${refusal}`)
}

/** @param hasBegun - Whether a process that ended has begun to add it. */
async function whyNot(database: Database, hasBegun: boolean, count: number, home: Database) {
  if (count === MOST_SHARDS) return `a further database, but a sandbox has at most ${MOST_SHARDS}. Remove it.`
  const [process] = await home.query<{ running: number }>(running, [])
  if (process!.running > 0)
    return `a new database, but ${process!.running} processes of the sandbox run without it. Stop all processes, and start them after 20 s.`
  if (!hasBegun && (await database.query(worldsOf, [])).length > 0)
    return 'a database with worlds of its own. Use an empty database, and move the worlds with export and import.'
  return undefined
}

/** Notes in a new shard where the worlds are whose names lead to it. */
async function place(
  database: Database,
  own: string,
  shards: Opened,
  leadsTo: (world: string, ids: readonly string[]) => string,
): Promise<void> {
  const ids = [...[...shards.keys()].map(({ id }) => id), own]
  for (const [{ id }, other] of shards) {
    const rows = await other.query<{ name: string }>(worldsOf, [])
    const led = rows.map(({ name }) => name).filter((name) => leadsTo(name, ids) === own)
    if (led.length > 0) await database.query(placeAll, [led, id])
  }
}

async function separateNumbers(database: Database, number: number, shards: Opened): Promise<void> {
  let last = 0
  for (const each of shards.values())
    last = Math.max(last, (await each.query<{ last: number }>(lastNumber, []))[0]!.last)
  const base = Math.ceil((last + 1) / MOST_SHARDS) * MOST_SHARDS
  const restart = (each: Database, at: number) =>
    each.query(
      statement`alter table cards alter column number set increment by ${MOST_SHARDS} restart with ${base + at}`,
      [],
    )
  await restart(database, number)
  for (const [each, other] of shards) if (each.number === 1 && number === 2) await restart(other, 1)
}
