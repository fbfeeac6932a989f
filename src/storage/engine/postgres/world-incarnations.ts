import { sliceOf } from '../../../lib/clock/clock.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import { stillValid, type WorldRows } from '../../store/change.ts'
import { worldInSlices, type WorldTables } from '../../store/world.ts'
import { cardIn, cardValues, noteInvitesOf } from './cards.ts'
import { type Database, statement } from './database.ts'
import { lockWaiting, Replica, type Replicas, textOf } from './replicas.ts'
import { revokedOf, type RevokedRow, revokedSince } from './snapshots.ts'
import { TooManyWorlds } from '../worlds.ts'
import { countOf, partsOf } from '../../store/file/format.ts'
import { REMEMBERED } from '../memory/event-log.ts'

/** Appends a change to the log of a locked life. */
const appendOne = statement(
  'append_one',
  `with w as (
     update worlds set version = version + 1, log_bytes = log_bytes + $5::bigint
      where name = $1 and life = $2 returning version, born)
   insert into log(world, life, version, batch, writes, born) select $1, $2, w.version, $3::uuid, $4, w.born from w`,
)

/** Creates a world from existing parts unless its name exists. */
const createWorld = statement(
  'create',
  `with made as (
     insert into worlds(name, born, life, version, base, base_bytes, log_bytes) values ($1, $2, $3, 0, 0, $4, 0)
     on conflict (name) do update set name = excluded.name where worlds.life = excluded.life returning name
   ), carded as (
     insert into cards(world, next_due, pending, failing, parent, title, guest)
     select name, $5, $6, $7, $8, $9, $10 from made on conflict (world) do nothing
   )
   select name from made`,
)

/** Gives a world another life, from existing parts. */
const replaceLife = statement(
  'replace',
  `with replaced as (
     update worlds set life = $2, base = 0, base_bytes = $3, log_bytes = 0, touched = clock_timestamp()
      where name = $1 returning born, version
   ), carded as (
     update cards set next_due = $4, pending = $5, failing = $6, parent = $7, title = $8, guest = $9
       from replaced where world = $1
   )
   select born, version from replaced`,
)

const dropWorld = statement(
  'drop',
  `with gone as (delete from worlds where name = $1 returning life), card as (delete from cards where world = $1)
   select life from gone`,
)

const dropParts = statement('drop_parts', 'delete from parts where world = $1 and life = $2')

/** Deletes the logs of dropped worlds of a name. */
const dropLog = statement(
  'drop_log',
  `delete from log l where l.world = $1 and not exists (
     select 1 from worlds w where w.name = l.world and (w.life = l.life or w.born = l.born))`,
)

interface Kept {
  readonly born: string
  readonly version: number
}

/** A life whose rows are in the database, not yet assigned to a world. */
interface NewLife {
  readonly life: string
  readonly bytes: number
  readonly tables: WorldTables
}

/**
 * Creates, replaces and drops worlds. The caller must hold the world's locks. Rows are first written as an unassigned life, which a
 * single statement then assigns to the world.
 */
export class WorldIncarnations {
  readonly #database: Database
  readonly #replicas: Replicas

  constructor(database: Database, replicas: Replicas) {
    this.#database = database
    this.#replicas = replicas
  }

  /** Replaces all rows of a world, or creates it. */
  async begin(name: string, rows: WorldRows, since?: number): Promise<'created' | 'replaced'> {
    const made = await this.#put(name, rows)
    for (;;) {
      const replica =
        since === undefined ? await this.#replace(name, made) : await this.#restore(name, made, rows, since)
      if (replica) {
        this.#replicas.set(name, replica)
        await this.#replicas.onLeap(name, replica)
        return 'replaced'
      }
      if (await this.#give(name, made, Infinity)) return 'created'
    }
  }

  async #replace(name: string, { life, bytes, tables }: NewLife): Promise<Replica | undefined> {
    const values = [name, life, bytes, ...cardValues(cardIn(tables))]
    const [kept] = await this.#database.query<Kept>(replaceLife, values)
    return kept && new Replica({ ...kept, life }, tables)
  }

  /** Like `#replace`, for rows of an earlier version: keys revoked since are revoked in the same transaction. */
  #restore(name: string, { life, bytes, tables }: NewLife, rows: WorldRows, since: number) {
    return this.#database.lend(async (client) => {
      const [, , found] = await Promise.all([
        client.query('begin'),
        client.query({ ...lockWaiting, values: [[name]] }),
        client.query({ ...revokedSince, values: [name, since] }),
      ])
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

  /** Creates a world unless it exists. Returns whether it did. @throws {TooManyWorlds} If `most` worlds exist. */
  async make(name: string, rows: WorldRows, most: number): Promise<boolean> {
    return this.#give(name, await this.#put(name, rows), most)
  }

  async end(name: string): Promise<void> {
    const [gone] = await this.#database.query<{ life: string }>(dropWorld, [name])
    if (gone) await this.#database.query(dropParts, [name, gone.life])
    if (gone) await this.#database.query(dropLog, [name])
    this.#replicas.know(name)
    this.#replicas.drop(name)
  }

  async forget(name: string, life: string): Promise<void> {
    await this.#database.query(dropParts, [name, life])
    await forgetOld(this.#database, name)
  }

  async #put(name: string, rows: WorldRows): Promise<NewLife> {
    const tables = await worldInSlices(rows, sliceOf(name))
    const life = systemUuid()
    const bytes = await putParts(this.#database, { name, life, base: 0 }, rows)
    await noteInvitesOf(this.#database, name, rows)
    return { life, bytes, tables }
  }

  async #give(name: string, { life, bytes, tables }: NewLife, most: number): Promise<boolean> {
    const born = systemUuid()
    const values = [name, born, life, bytes, ...cardValues(cardIn(tables))]
    const made = await makeOneOf(this.#database, most, { name, life, values })
    if (made) this.#replicas.set(name, new Replica({ born, life, version: 0 }, tables))
    return made
  }
}

/** Serializes creations, so that each sees the ones before. */
const lockMaking = statement('lock_making', 'select one from making for update')
const roomFor = statement('room', 'select count(*) as worlds from worlds where name <> $1')

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
      client.query('begin'),
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

const putPart = statement(
  'put_part',
  `insert into parts(world, life, base, part, rows) values ($1, $2, $3, $4, $5)
   on conflict (world, life, base, part) do update set rows = excluded.rows`,
)

/** Switches a world to new parts, which its log continues. */
const rebaseParts = statement(
  'rebase',
  `update worlds set base = $3, base_bytes = $4, log_bytes = greatest(log_bytes - $5, 0)
    where name = $1 and life = $2 and base < $3 returning name`,
)

/** Deletes parts that no world uses. Everything stays for 2 minutes, for processes that are behind or lost a response. */
const forgetParts = statement(
  'forget_parts',
  `delete from parts p where p.world = $1 and p.at < clock_timestamp() - interval '2 minutes'
     and not exists (select 1 from worlds w where w.name = p.world and w.life = p.life and w.base = p.base)`,
)

/** Deletes log entries before the base, but keeps the last `$2` events. */
const forgetLog = statement(
  'forget_log',
  `with kept as (
     select k.life, k.version from (
       select l.life, l.version, row_number() over back as entries,
              sum(coalesce(l.events, 1)) over back - coalesce(l.events, 1) as later
         from log l join worlds w on w.name = l.world and (w.life = l.life or w.born = l.born)
        where l.world = $1 window back as (order by l.version desc)) k
      where k.later < $2 and k.entries <= 5 * $2::int
   )
   delete from log l where l.world = $1 and l.at < clock_timestamp() - interval '2 minutes'
      and not exists (select 1 from worlds w where w.name = l.world and w.life = l.life and l.version > w.base)
      and not exists (select 1 from kept k where k.life = l.life and k.version = l.version)`,
)

const ROWS_PER_PART = 1_000
/** Shorter logs are not compacted, bytes. */
const SHORT_LOG = 262_144

function* textsOf(rows: WorldRows): Generator<string> {
  if (countOf(rows) <= ROWS_PER_PART) return yield JSON.stringify(rows)
  for (const part of partsOf(rows)) yield JSON.stringify(part)
}

/** Writes parts, which take effect when a world refers to them. Returns their size. */
async function putParts(
  database: Database,
  { name, life, base }: { readonly name: string; readonly life: string; readonly base: number },
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

async function forgetOld(database: Database, name: string): Promise<void> {
  await database.query(forgetParts, [name])
  await database.query(forgetLog, [name, REMEMBERED])
}

/** Replicas that are being compacted. */
const compacting = new WeakSet<Replica>()

/** Writes a world's rows as new parts if its log has become as large as the current ones. */
export async function compactIfNeeded(
  database: Database,
  name: string,
  replica: Replica | undefined,
): Promise<void> {
  if (!replica || compacting.has(replica) || replica.logBytes <= Math.max(SHORT_LOG, replica.baseBytes))
    return
  compacting.add(replica)
  try {
    const { life, version, logBytes } = replica
    const rows = replica.tables.rowsOfNow()()
    const bytes = await putParts(database, { name, life, base: version }, rows)
    await database.query(rebaseParts, [name, life, version, bytes, logBytes])
    replica.baseBytes = bytes
    replica.logBytes = Math.max(replica.logBytes - logBytes, 0)
    await forgetOld(database, name)
  } finally {
    compacting.delete(replica)
  }
}
