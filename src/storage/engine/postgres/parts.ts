/** The rows of worlds and snapshots in the database: parts, and the changes since then in the log. */
import type { Client } from 'pg'
import { sliceOf } from '../../../lib/clock/clock.ts'
import { countOf, partsOf } from '../../store/file/format.ts'
import type { RowChange, WorldRows } from '../../store/change.ts'
import { addRows, WorldTables } from '../../store/world.ts'
import { EVENTS_KEPT } from '../memory/event-log.ts'
import { type Database, type Statement, statement } from './database.ts'
import { type Place, Replica, textOf, writeTo, writtenIn } from './replicas.ts'

const putPart = statement`
  insert into parts(world, life, base, part, rows) values ($1, $2, $3, $4, $5)
  on conflict (world, life, base, part) do update set rows = excluded.rows`

/** The base of the compacted parts of a life without changes: the parts that it began with have the base 0. */
const UNCHANGED = -1

/** Switches a world to new parts, which its log continues. */
const rebaseParts = statement`
  with rebased as (
    update worlds set base = $3, base_bytes = $4, log_bytes = greatest(log_bytes - $5, 0)
     where name = $1 and life = $2 and (base < $3 or (base = 0 and $3 = ${UNCHANGED})) returning name
  )
  delete from layers l using rebased r where l.world = r.name and l.holder = $2`

/**
 * Deletes parts that neither a world nor a snapshot uses. Everything stays for 2 minutes, for processes that are behind or lost
 * a response.
 */
const forgetParts = statement`
  delete from parts p where p.world = $1 and p.at < clock_timestamp() - interval '2 minutes'
    and not exists (select 1 from worlds w where w.name = p.world and w.life = p.life and w.base = p.base)
    and not exists (select 1 from layers s where s.world = p.world and s.life = p.life and s.base = p.base)`

/** Deletes log entries before the base that no snapshot uses, but keeps the last `$2` events. */
const forgetLog = statement`
  with kept as (
    select k.life, k.version from (
      select l.life, l.version, row_number() over back as entries,
             sum(coalesce(l.events, 1)) over back - coalesce(l.events, 1) as later
        from log l join worlds w on w.name = l.world and (w.life = l.life or w.born = l.born)
       where l.world = $1 window back as (order by l.version desc)) k
     where k.later < $2 and k.entries <= 5 * $2::int
  )
  delete from log l where l.world = $1 and l.at < clock_timestamp() - interval '2 minutes'
     and not exists (select 1 from worlds w where w.name = l.world and w.life = l.life and l.version > w.base)
     and not exists (select 1 from layers s where s.world = l.world and s.life = l.life
                        and l.version > s.base and l.version <= s.version)
     and not exists (select 1 from kept k where k.life = l.life and k.version = l.version)`

const ROWS_PER_PART = 1_000
/** Shorter logs are not compacted, bytes. */
const SHORT_LOG = 262_144

function* textsOf(rows: WorldRows): Generator<string> {
  if (countOf(rows) <= ROWS_PER_PART) return yield JSON.stringify(rows)
  for (const part of partsOf(rows)) yield JSON.stringify(part)
}

interface PartsPlace {
  readonly name: string
  readonly life: string
  readonly base: number
}

/** Writes parts, which take effect when a world or a snapshot refers to them. Returns their size. */
export async function putParts(
  database: Database,
  { name, life, base }: PartsPlace,
  rows: WorldRows,
): Promise<number> {
  const slice = sliceOf(name)
  let [part, bytes] = [0, 0]
  for (const text of textsOf(rows)) {
    await database.query(putPart, [name, life, base, part++, text])
    bytes += text.length
    if (slice.over) await slice.next()
  }
  return bytes
}

/** Writes changes as a part, to follow the rows that a life begins with. Returns its size. */
export async function putChanges(
  database: Database,
  { name, life, base }: PartsPlace,
  written: readonly RowChange[],
): Promise<number> {
  const text = textOf(written)
  await database.query(putPart, [name, life, base, 0, text])
  return text.length
}

export async function forgetOld(database: Database, name: string): Promise<void> {
  await database.query(forgetParts, [name])
  await database.query(forgetLog, [name, EVENTS_KEPT])
}

/** Replicas that are being compacted. */
const compacting = new WeakSet<Replica>()

/** Compacts a world if its log has become as large as its parts. */
export async function compactIfNeeded(database: Database, name: string, replica: Replica | undefined) {
  if (replica && replica.logBytes > Math.max(SHORT_LOG, replica.baseBytes))
    await compact(database, name, replica)
}

/** Writes a world's rows as new parts. */
export async function compact(database: Database, name: string, replica: Replica): Promise<void> {
  if (compacting.has(replica)) return
  compacting.add(replica)
  try {
    const { life, version, logBytes } = replica
    const rows = replica.tables.rowsOfNow()()
    const base = version || UNCHANGED
    const bytes = await putParts(database, { name, life, base }, rows)
    await database.query(rebaseParts, [name, life, base, bytes, logBytes])
    replica.baseBytes = bytes
    replica.logBytes = Math.max(replica.logBytes - logBytes, 0)
    await forgetOld(database, name)
  } finally {
    compacting.delete(replica)
  }
}

/**
 * The texts of layers `s` of the world `$1`, with the kind `log` for the changes that count as versions of the world. The text of a
 * note in the log is an object; notes are not part of a snapshot.
 */
const TEXTS = `select s.n as layer, 0 as step, 'part' as kind, p.part::bigint as n, p.rows as text
       from s join parts p on p.world = $1 and p.life = s.life and p.base = s.base
     union all
     select s.n, 1, case when s.version is null then 'log' else 'part' end, l.version, l.writes
       from s join log l on l.world = $1 and l.life = s.life and l.version > s.base
                        and l.version <= coalesce(s.version, 9223372036854775807)
      where s.version is null or l.writes like '[%'`

interface TextRow {
  readonly kind: 'part' | 'log' | null
  readonly n: number | null
  readonly text: string | null
}
type WholeRow = TextRow & Place

/** Reads a world from the layers that it began with, its parts and its log. */
const wholeWorld = statement`
  with w as (select * from worlds where name = $1),
  s as (
    select y.n, y.life, y.base, y.version from layers y, w where y.world = w.name and y.holder = w.life and w.base = 0
    union all select 1000000, life, base, null from w
  )
  select w.born, w.life, w.version, e.kind, e.n, e.text from w left join (${TEXTS}) e on true
   order by e.layer, e.step, e.n`

const wholeSnapshot = statement`
  with s as (select n, life, base, version from layers where world = $1 and holder = $2)
  select e.kind, e.n, e.text from (${TEXTS}) e order by e.layer, e.step, e.n`

/** Larger worlds are read in batches of parts, over a connection of their own, bytes. */
const LARGE = 2 * 1_048_576
const BATCH = 8

type Batches<Row> = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>

/** Reads the rows of a statement; within a transaction. */
async function* inBatches<Row>(
  client: Client,
  { text }: Statement,
  values: readonly string[],
): AsyncGenerator<readonly Row[]> {
  // The statement of a cursor takes no parameters.
  const literal = text.replace(/\$(\d)/g, (_, n) => client.escapeLiteral(values[Number(n) - 1]!))
  await client.query(`declare texts no scroll cursor for ${literal}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${BATCH} from texts`)
    if (rows.length === 0) break
    yield rows as Row[]
  }
  await client.query('close texts')
}

async function read<Row, T>(
  database: Database,
  query: Statement,
  values: readonly string[],
  bytes: number,
  work: (batches: Batches<Row>) => Promise<T>,
): Promise<T> {
  if (bytes < LARGE) return work([await database.query<Row>(query, values)])
  return database.lend(async (client) => {
    await client.query('begin')
    const result = await work(inBatches<Row>(client, query, values))
    await client.query('commit')
    return result
  })
}

/** Reads a world, in time slices. @param bytes - The size of its rows in the database. */
export const readWorld = (database: Database, name: string, bytes: number) =>
  read(database, wholeWorld, [name], bytes, (batches: Batches<WholeRow>) => replicaOf(name, batches))

/** Reads a world within a transaction. */
export async function readWorldIn(client: Client, name: string, bytes: number): Promise<Replica | undefined> {
  if (bytes >= LARGE) return replicaOf(name, inBatches<WholeRow>(client, wholeWorld, [name]))
  const { rows } = await client.query({ ...wholeWorld, values: [name] })
  return replicaOf(name, [rows as WholeRow[]])
}

/** Reads the rows of a snapshot into tables of their own, in time slices. */
export const readSnapshot = (
  database: Database,
  world: string,
  holder: string,
  bytes: number,
): Promise<WorldTables> =>
  read(database, wholeSnapshot, [world, holder], bytes, async (batches: Batches<TextRow>) => {
    const slice = sliceOf(world)
    let tables: WorldTables | undefined
    for await (const rows of batches)
      for (const { text } of rows) {
        if (slice.over) await slice.next()
        tables = withPart(tables, text!)
      }
    return tables ?? new WorldTables()
  })

async function replicaOf(name: string, batches: Batches<WholeRow>): Promise<Replica | undefined> {
  const slice = sliceOf(name)
  let now: Place | undefined
  let tables: WorldTables | undefined
  let replica: Replica | undefined
  for await (const rows of batches)
    for (const row of rows) {
      if (slice.over) await slice.next()
      now ??= row
      if (row.kind === 'part') tables = withPart(tables, row.text!)
      if (row.kind !== 'log') continue
      replica ??= new Replica({ ...now, version: row.n! - 1 }, tables ?? new WorldTables())
      replica.apply({ version: row.n!, writes: row.text!, time: null })
    }
  return replica ?? (now && new Replica(now, tables ?? new WorldTables()))
}

/** Adds a part, which contains rows or changes. */
function withPart(tables: WorldTables | undefined, text: string): WorldTables {
  const isRows = text.startsWith('{')
  // The tables of a small world are built at their first use.
  if (isRows && !tables) return new WorldTables(JSON.parse(text) as WorldRows)
  const all = tables ?? new WorldTables()
  if (isRows) addRows(all, JSON.parse(text) as WorldRows)
  else writeTo(all, writtenIn(text))
  return all
}
