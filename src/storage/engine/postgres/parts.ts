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

export async function forgetOld(database: Database, name: string): Promise<void> {
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
