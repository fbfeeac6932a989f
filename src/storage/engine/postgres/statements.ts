/** What the store says to the database; plain SQL, whose rightness rests on keys and row locks alone. */
import type { Statement } from './database.ts'

export const statement = (name: string, text: string): Statement => ({ name, text })

/** The database's time, milliseconds since the epoch, by which all processes go. */
export const CLOCK = 'extract(epoch from clock_timestamp())::float8 * 1000 as clock'

/** Locks the worlds that nobody else writes to just now. Others are not waited for. */
export const lockFree = statement(
  'lock_free',
  `select name, ${CLOCK} from worlds where name = any($1::text[]) order by name for update skip locked`,
)

/** Locks a world, waiting in line for it. */
export const lockWaiting = statement(
  'lock_waiting',
  `select name, ${CLOCK} from worlds where name = any($1::text[]) order by name for update`,
)

export interface SinceRow {
  readonly name: string
  readonly born: string
  readonly life: string
  readonly version: number
  readonly base_bytes: number
  readonly log_bytes: number
  readonly entry: number | null
  readonly writes: string | null
  readonly time: number | null
  /** Somebody watches its phones, by way of another process. */
  readonly watched: boolean
  readonly clock: number
}

/**
 * How worlds are now, and what was appended to each since a version of a life. `offset 0` has the log looked at by its whole
 * key: without it, and before the database has counted rows, a look takes all of a life and leaves out most.
 */
export const since = statement(
  'since',
  `select w.name, w.born, w.life, w.version, w.base_bytes, w.log_bytes, l.version as entry, l.writes, l.time,
          exists (select 1 from watchers x where x.world = w.name and x.node <> $4 and x.until > clock_timestamp()) as watched,
          ${CLOCK}
     from unnest($1::text[], $2::text[], $3::bigint[]) as h(name, life, version)
     join worlds w on w.name = h.name
     left join lateral (
       select e.version, e.writes, e.time from log e
        where e.world = h.name and e.life = h.life and e.version > h.version offset 0
     ) l on h.life = w.life
    order by w.name, l.version`,
)

export interface WholeRow {
  readonly born: string
  readonly life: string
  readonly version: number
  readonly base_bytes: number
  readonly log_bytes: number
  readonly kind: 'part' | 'log' | null
  readonly n: number | null
  readonly text: string | null
}

/** A world from its parts and the log since, in one look. */
export const whole = statement(
  'whole',
  `with w as (select * from worlds where name = $1)
   select w.born, w.life, w.version, w.base_bytes, w.log_bytes, e.kind, e.n, e.text
     from w left join (
       select 'part' as kind, p.part::bigint as n, p.rows as text
         from parts p, w where p.world = w.name and p.life = w.life and p.base = w.base
       union all
       select 'log', l.version, l.writes
         from log l, w where l.world = w.name and l.life = w.life and l.version > w.base
     ) e on true
    order by e.kind desc, e.n`,
)

/** Makes a world that a change begins. */
export const found = statement(
  'found',
  `insert into worlds(name, born, life, version, base, base_bytes, log_bytes) values ($1, $2, $3, 0, 0, 0, 0)`,
)

/**
 * Appends changes to the logs of worlds. Where a world is not of the version any more that they were made on, the last
 * column of the key is null, which is refused: nothing of the transaction is kept.
 */
export const append = statement(
  'append',
  `with moved as (
     update worlds w
        set version = g.next, log_bytes = w.log_bytes + g.bytes, touched = clock_timestamp(),
            next_due = g.next_due, pending = g.pending, failing = g.failing, parent = g.parent, title = g.title,
            guest = g.guest
       from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[],
                   $14::float8[], $15::int[], $16::int[], $17::text[], $18::text[], $19::text[])
            as g(name, life, have, next, bytes, next_due, pending, failing, parent, title, guest)
      where w.name = g.name and w.life = g.life and w.version = g.have
     returning w.name
   )
   insert into log(world, life, version, batch, writes, time, events, born)
   select e.world, e.life, case when m.name is null then null else e.version end, $6::uuid, e.writes, e.time, e.events, e.born
     from unnest($7::text[], $8::text[], $9::bigint[], $10::text[], $11::float8[], $12::int[], $13::text[])
       as e(world, life, version, writes, time, events, born)
     left join moved m on m.name = e.world`,
)

/** Appends one change to the log of a life that its writer has locked. */
export const appendOne = statement(
  'append_one',
  `with w as (
     update worlds set version = version + 1, log_bytes = log_bytes + $5::bigint
      where name = $1 and life = $2 returning version, born)
   insert into log(world, life, version, batch, writes, born) select $1, $2, w.version, $3::uuid, $4, w.born from w`,
)

/** Which batch wrote a version, asked by who lost the answer to his own. */
export const batchOf = statement(
  'batch_of',
  'select batch::text as batch from log where world = $1 and life = $2 and version = $3',
)

export const putPart = statement(
  'put_part',
  `insert into parts(world, life, base, part, rows) values ($1, $2, $3, $4, $5)
   on conflict (world, life, base, part) do update set rows = excluded.rows`,
)

/** Makes a world of parts that are there; nothing when there is another one of its name. */
export const create = statement(
  'create',
  `insert into worlds(name, born, life, version, base, base_bytes, log_bytes, next_due, pending, failing, parent, title, guest)
   values ($1, $2, $3, 0, 0, $4, 0, $5, $6, $7, $8, $9, $10)
   on conflict (name) do update set name = excluded.name where worlds.life = excluded.life returning name`,
)

/** Gives a world another life, whose parts are there. */
export const replace = statement(
  'replace',
  `update worlds set life = $2, base = 0, base_bytes = $3, log_bytes = 0, touched = clock_timestamp(),
          next_due = $4, pending = $5, failing = $6, parent = $7, title = $8, guest = $9
    where name = $1 returning born, version`,
)

export const drop = statement('drop', 'delete from worlds where name = $1 returning life')
export const dropParts = statement('drop_parts', 'delete from parts where world = $1 and life = $2')
/** The logs of worlds of a name that are gone. */
export const dropLog = statement(
  'drop_log',
  `delete from log l where l.world = $1 and not exists (
     select 1 from worlds w where w.name = l.world and (w.life = l.life or w.born = l.born))`,
)
export const names = statement('names', 'select name from worlds order by name')

/** Makes parts that are there the whole that the log goes on from. */
export const rebase = statement(
  'rebase',
  `update worlds set base = $3, base_bytes = $4, log_bytes = greatest(log_bytes - $5, 0)
    where name = $1 and life = $2 and base < $3 returning name`,
)

/** What no world is read from any more, but for the last events, `$2`; all is kept a while for those who are behind, or lost an answer. */
export const forgetParts = statement(
  'forget_parts',
  `delete from parts p where p.world = $1 and p.at < clock_timestamp() - interval '2 minutes'
     and not exists (select 1 from worlds w where w.name = p.world and w.life = p.life and w.base = p.base)`,
)
export const forgetLog = statement(
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

export interface EntryRow {
  readonly version: number
  readonly writes: string
  readonly time: number | null
}

/** The entries of a world, over its lives, after one version, `$2`, and up to another, `$3`: those that make the last events, `$4`. */
export const entries = statement(
  'entries',
  `select k.version, k.writes, k.time from (
     select l.version, l.writes, l.time,
            sum(coalesce(l.events, 1)) over (order by l.version desc) - coalesce(l.events, 1) as later
       from log l join worlds w on w.name = l.world and (w.life = l.life or w.born = l.born)
      where l.world = $1 and l.version > $2 and l.version <= $3) k
    where k.later < $4 order by k.version`,
)
