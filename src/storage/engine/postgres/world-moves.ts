import type { Client } from 'pg'
import { systemUuid } from '../../../lib/random/random.ts'
import { StoreUnavailable } from '../../store/change.ts'
import { statement } from './database.ts'
import type { PostgresEngine } from './engine.ts'
import { lockWaiting } from './replicas.ts'

/** What is copied of a world, with the rows that are read at a time; a row of `parts` is large. */
const COPIED = [
  ['parts', 8],
  ['layers', 500],
  ['log', 200],
  ['used', 1],
  ['used_keys', 500],
  ['invites', 500],
  ['snapshots', 100],
  ['snapshot_ids', 1],
  ['revoked', 500],
  ['journals', 100],
  ['journal', 200],
] as const
const TABLES = [...COPIED.map(([table]) => table), 'cards', 'job_owners', 'watchers', 'signals']

/** Whether no other process answers for a locked world: an owner that this snapshot lacks cannot appear. */
const isFree = statement`
  select w.name from worlds w
   where w.name = $1 and not exists (
     select 1 from runners r where r.id = w.owner and r.id <> $2::uuid and r.until > statement_timestamp())`
/** Takes effect if the world is not elsewhere. The worlds of the arrivals are not in lists, and their jobs do not run. */
const announce = statement`
  insert into arrivals(world, move, head, card) select $1, $2::uuid, $3::json, $4::json
   where not exists (select 1 from worlds where name = $1) returning world`
const headOf = statement`
  select to_json(w)::text as head, to_json(c)::text as card from worlds w join cards c on c.world = w.name where w.name = $1`
const leadAway = statement`
  insert into places(world, shard, move) values ($1, $2::uuid, $3::uuid)
  on conflict (world) do update set shard = excluded.shard, move = excluded.move`

/** Makes an arrival a world, once. */
export const arrive = statement`
  with a as (delete from arrivals where world = $1 and move = $2::uuid returning head, card),
  p as (delete from places where world = $1 and exists (select 1 from a)),
  c as (insert into cards select (json_populate_record(null::cards, card)).* from a)
  insert into worlds select (json_populate_record(null::worlds, (head::jsonb || '{"owner": null}')::json)).* from a`

/**
 * Moves a world to another database. Its rows are copied while it is locked here; the transaction that then deletes them notes
 * where it went. Until that commits, the world is here; from then on it is there, even if this process ends before it has arrived.
 * @returns false if it is not here
 * @throws {StoreUnavailable} If another process takes it meanwhile, or moves it.
 */
export function moveWorld(
  from: PostgresEngine,
  to: { readonly id: string; readonly engine: PostgresEngine },
  world: string,
): Promise<boolean> {
  const [here, there] = [from.database, to.engine.database]
  return from.store.exclusively(world, async () => {
    const move = systemUuid()
    const outcome = await there.lend(async (target) => {
      // Two moves never write there at once: the lock lasts as long as the connection.
      const [lock] = (
        await target.query('select pg_try_advisory_lock(hashtextextended($1, 1)) as got', [world])
      ).rows
      if (!lock.got) return 'busy'
      const left = await here.lend(async (source) => {
        const back = (why: 'absent' | 'busy') => source.query('rollback').then(() => why)
        await source.query('begin')
        const locked = await source.query({ ...lockWaiting, values: [[world]] })
        if (locked.rows.length === 0) return back('absent')
        const free = await source.query({ ...isFree, values: [world, from.owners.id] })
        if (free.rows.length === 0 || !(await copy(source, target, world, move))) return back('busy')
        for (const table of TABLES) await source.query(`delete from ${table} where world = $1`, [world])
        await source.query('delete from worlds where name = $1', [world])
        await source.query({ ...leadAway, values: [world, to.id, move] })
        await source.query('commit')
        return 'moved'
      })
      await target.query({ ...arrive, values: [world, move] })
      await target.query('select pg_advisory_unlock(hashtextextended($1, 1))', [world])
      return left
    })
    if (outcome === 'busy')
      throw new StoreUnavailable(`Another process has taken the world ${world}; move it again.`)
    if (outcome === 'moved') await from.announceLeft(world)
    return outcome === 'moved'
  })
}

/** Copies a locked world in one transaction, after what an interrupted move has left. Returns whether it can arrive. */
async function copy(source: Client, target: Client, world: string, move: string): Promise<boolean> {
  await target.query('begin')
  for (const table of [...TABLES, 'arrivals'])
    await target.query(`delete from ${table} where world = $1`, [world])
  for (const [table, rows] of COPIED) {
    const name = source.escapeLiteral(world)
    await source.query(
      `declare copied no scroll cursor for select to_json(t)::text as row from ${table} t where world = ${name}`,
    )
    for (;;) {
      const read = await source.query<{ row: string }>(`fetch ${rows} from copied`)
      if (read.rows.length === 0) break
      const all = `[${read.rows.map(({ row }) => row).join()}]`
      await target.query(
        `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`,
        [all],
      )
    }
    await source.query('close copied')
  }
  // Otherwise they could be swept before it has arrived.
  await target.query('update journals set at = clock_timestamp() where world = $1', [world])
  const { rows } = await source.query<{ head: string; card: string }>({ ...headOf, values: [world] })
  const { head, card } = rows[0]!
  const announced = await target.query({ ...announce, values: [world, move, head, card] })
  await target.query(announced.rows.length > 0 ? 'commit' : 'rollback')
  return announced.rows.length > 0
}
