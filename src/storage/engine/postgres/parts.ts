import { sliceOf } from '../../../lib/clock/time-slice.ts'
import { countOf, partsOf } from '../../store/file/entries.ts'
import type { WorldRows } from '../../store/store.ts'
import { REMEMBERED } from '../memory/event-log.ts'
import type { Database } from './database.ts'
import type { Replica } from './replica.ts'
import * as sql from './statements.ts'

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
    await database.query(sql.putPart, [name, life, base, part++, text])
    bytes += text.length
    if (slice.over) await slice.next()
  }
  return bytes
}

/** Forgets what nobody reads any more. */
export async function forgetOld(database: Database, name: string): Promise<void> {
  await database.query(sql.forgetParts, [name])
  await database.query(sql.forgetLog, [name, REMEMBERED])
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
    await database.query(sql.rebase, [name, life, version, bytes, logBytes])
    replica.baseBytes = bytes
    replica.logBytes = Math.max(replica.logBytes - logBytes, 0)
    await forgetOld(database, name)
  } finally {
    folding.delete(replica)
  }
}
