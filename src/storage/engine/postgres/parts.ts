import { sliceOf } from '../../../lib/clock/time-slice.ts'
import { countOf, partsOf } from '../../store/file/format.ts'
import type { WorldRows } from '../../store/store.ts'
import { REMEMBERED } from '../memory/event-log.ts'
import { type Database, statement } from './database.ts'
import type { Replica } from './replicas.ts'
const putPart = statement(
  'put_part',
  `insert into parts(world, life, base, part, rows) values ($1, $2, $3, $4, $5)
   on conflict (world, life, base, part) do update set rows = excluded.rows`,
)

/** Makes parts that are there the whole that the log goes on from. */
const rebaseParts = statement(
  'rebase',
  `update worlds set base = $3, base_bytes = $4, log_bytes = greatest(log_bytes - $5, 0)
    where name = $1 and life = $2 and base < $3 returning name`,
)

/** What no world is read from any more, but for the last events, `$2`; all is kept a while for those who are behind, or lost an answer. */
const forgetParts = statement(
  'forget_parts',
  `delete from parts p where p.world = $1 and p.at < clock_timestamp() - interval '2 minutes'
     and not exists (select 1 from worlds w where w.name = p.world and w.life = p.life and w.base = p.base)`,
)

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

/** Rows in one part of many. */
const ROWS_A_PART = 1_000
/** A log that is shorter is not folded, bytes. */
const SHORT_LOG = 262_144

/** Texts of rows, few where they are few. */
function* textsOf(rows: WorldRows): Generator<string> {
  if (countOf(rows) <= ROWS_A_PART) return yield JSON.stringify(rows)
  for (const part of partsOf(rows)) yield JSON.stringify(part)
}

/** Writes parts that count for nothing until a world says that it is of them. Returns what they take. */
export async function putParts(
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

/** Forgets what nobody reads any more. */
export async function forgetOld(database: Database, name: string): Promise<void> {
  await database.query(forgetParts, [name])
  await database.query(forgetLog, [name, REMEMBERED])
}

/** Replicas of which parts are being written. */
const folding = new WeakSet<Replica>()

/** Writes a world's rows as parts where its log has grown as large as they are, and forgets what nobody reads any more. */
export async function foldIfOwed(
  database: Database,
  name: string,
  replica: Replica | undefined,
): Promise<void> {
  if (!replica || folding.has(replica) || replica.logBytes <= Math.max(SHORT_LOG, replica.baseBytes)) return
  folding.add(replica)
  try {
    const { life, version, logBytes } = replica
    const rows = replica.tables.rowsOfNow()()
    const bytes = await putParts(database, { name, life, base: version }, rows)
    await database.query(rebaseParts, [name, life, version, bytes, logBytes])
    replica.baseBytes = bytes
    replica.logBytes = Math.max(replica.logBytes - logBytes, 0)
    await forgetOld(database, name)
  } finally {
    folding.delete(replica)
  }
}
