/** What the journal says to the database: about lives of many worlds at a time, `$1` and `$2`, or about one. */
import { statement } from './statements.ts'

/** How many ids were given, how many of them are forgotten, and what those on record take. */
export interface Sums {
  readonly made: number
  readonly forgotten: number
  readonly bytes: number
}

export interface EntryRow {
  readonly n: number
  readonly entry: string
}

export const readSums = statement(
  'journal_sums',
  'select made, forgotten, bytes from journals where world = $1 and life = $2',
)

export interface SumsOfWorld extends Sums {
  readonly world: string
  readonly life: string
}

/** What was answered is told by changes, which wait for the disk; a record of it that a crash loses is missed by nobody. */
const SOON = `(select set_config('synchronous_commit', 'off', true)) as soon`

/** Gives so many ids in each life, `$3`; each is there once, and they are in order. */
export const nextIds = statement(
  'next_requests',
  `insert into journals(world, life, made)
   select a.world, a.life, a.wanted from unnest($1::text[], $2::text[], $3::bigint[]) as a(world, life, wanted), ${SOON}
   on conflict (world, life) do update set made = journals.made + excluded.made
   returning world, life, made, forgotten, bytes`,
)

/** Puts requests on record that are not forgotten. */
export const putRequests = statement(
  'put_requests',
  `with e as (
     select a.* from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::boolean[])
                  as a(world, life, n, entry, bytes, answered), ${SOON}
   ), j as (
     select world, life, forgotten from journals where (world, life) in (select world, life from e)
      order by world, life for update
   ), kept as (
     select e.* from e join j on j.world = e.world and j.life = e.life where e.n > j.forgotten
   ), known as (
     select k.world, k.life, sum(k.bytes) - coalesce(sum(b.bytes), 0) as added
       from kept k left join journal b on b.world = k.world and b.life = k.life and b.n = k.n
      group by k.world, k.life
   ), written as (
     insert into journal(world, life, n, entry, bytes, answered_at)
     select world, life, n, entry, bytes, case when answered then clock_timestamp() end from kept
     on conflict (world, life, n) do update
       set entry = excluded.entry, bytes = excluded.bytes, answered_at = excluded.answered_at
   )
   update journals
      set bytes = journals.bytes + known.added
     from known where journals.world = known.world and journals.life = known.life
   returning journals.world, journals.life, made, forgotten, bytes`,
)

/** Forgets the oldest beyond so many, `$3`, and so many bytes, `$4`; never the last. */
export const forgetRequests = statement(
  'forget_requests',
  `with j as (
     select made, forgotten from journals where world = $1 and life = $2 for update
   ), summed as (
     select b.n, sum(b.bytes) over (order by b.n desc) as total
       from journal b, j where b.world = $1 and b.life = $2 and b.n > j.made - $3
   ), upto as (
     select greatest(j.forgotten, j.made - $3,
              coalesce((select max(n) from summed where total > $4::bigint and n < j.made), 0)) as n from j
   ), gone as (
     delete from journal b using upto where b.world = $1 and b.life = $2 and b.n <= upto.n returning b.bytes
   )
   update journals
      set forgotten = upto.n, bytes = journals.bytes - (select coalesce(sum(bytes), 0) from gone)
     from upto where world = $1 and life = $2
   returning made, forgotten, journals.bytes`,
)

/** Forgets all up to a number, `$3`. */
export const clearRequests = statement(
  'clear_requests',
  `with gone as (
     delete from journal where world = $1 and life = $2 and n <= $3 returning bytes
   )
   update journals
      set forgotten = greatest(forgotten, $3), bytes = bytes - (select coalesce(sum(bytes), 0) from gone)
    where world = $1 and life = $2
   returning made, forgotten, bytes`,
)

export const entriesOf = statement(
  'requests_of',
  'select n, entry from journal where world = $1 and life = $2 and n = any($3::bigint[])',
)
export const whichOf = statement(
  'which_requests',
  'select n from journal where world = $1 and life = $2 and n = any($3::bigint[])',
)
export const newestRequests = statement(
  'newest_requests',
  'select n, entry from journal where world = $1 and life = $2 order by n desc limit $3',
)
export const answeredLately = statement(
  'answered_lately',
  `select n, entry from journal
    where world = $1 and life = $2 and n > (select made - 1000 from journals where world = $1 and life = $2)
      and answered_at > clock_timestamp() - interval '3 seconds' order by answered_at, n`,
)

/** Those of which some request is not forgotten, of any world. */
export const recordsOfWorlds = statement(
  'records',
  `select j.world, j.life from journals j join worlds w on w.name = j.world and w.life = j.life
    where j.made > j.forgotten order by j.world`,
)

/** Records of lives that are over. */
export const forgetLives = statement(
  'forget_lives',
  `with gone as (
     delete from journals j where j.at < statement_timestamp() - interval '10 minutes'
        and not exists (select 1 from worlds w where w.name = j.world and w.life = j.life)
     returning world, life
   )
   delete from journal b using gone where b.world = gone.world and b.life = gone.life`,
)
