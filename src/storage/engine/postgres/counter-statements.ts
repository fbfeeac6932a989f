import { statement } from './statements.ts'

/** The time that is given, or the database's; milliseconds since the epoch. */
const NOW = `with n as (select coalesce($1::float8, extract(epoch from clock_timestamp()) * 1000) as now),
 g as (
   select n.now, (floor(n.now / per) + 1) * per as ends, name, want, most
     from n, unnest($2::text[], $3::bigint[], $4::bigint[], $5::float8[]) as a(name, want, most, per)
 )`

export interface TakenRow {
  readonly name: string
  readonly granted: number
  readonly remaining: number
  readonly ends: number
  /** Milliseconds until then. */
  readonly left: number
}

/** Grants what is wanted of each name, as far as its window has it. In the order of names, so that no two wait for each other. */
export const takeCounts = statement(
  'take',
  `${NOW}, taken as (
   insert into counts as c (name, ends, remaining, granted)
   select name, ends, most - least(want, most), least(want, most) from g order by name
   on conflict (name) do update set
     ends = excluded.ends,
     granted = case when c.ends = excluded.ends
       then greatest(least(excluded.granted, c.remaining), 0) else excluded.granted end,
     remaining = case when c.ends = excluded.ends
       then least(c.remaining, greatest(c.remaining - excluded.granted, 0)) else excluded.remaining end
   returning name, granted, remaining, ends
 )
 select taken.*, taken.ends - n.now as left from taken, n`,
)

/** Counts one more, whatever there were. */
export const addToCount = statement(
  'add_to_count',
  `${NOW}, taken as (
   insert into counts as c (name, ends, remaining, granted)
   select name, ends, most - want, want from g order by name
   on conflict (name) do update set
     ends = excluded.ends,
     granted = excluded.granted,
     remaining = case when c.ends = excluded.ends then c.remaining - excluded.granted else excluded.remaining end
   returning name, granted, remaining, ends
 )
 select taken.*, taken.ends - n.now as left from taken, n`,
)

export const lookAtCount = statement(
  'look_at_count',
  `${NOW}
 select g.name, 0::bigint as granted, coalesce(c.remaining, g.most) as remaining, g.ends, g.ends - g.now as left
   from g left join counts c on c.name = g.name and c.ends = g.ends`,
)

/** Gives back what was granted and not used, where its window is not over. */
export const giveBackCounts = statement(
  'give_back',
  `with g as (select * from unnest($1::text[], $2::float8[], $3::bigint[]) as a(name, ends, unused)),
 locked as (select name from counts where name in (select name from g) order by name for update)
 update counts c set remaining = c.remaining + g.unused
   from g join locked on locked.name = g.name
  where c.name = g.name and c.ends = g.ends`,
)

/** Windows that are over. */
export const forgetCounts = statement(
  'forget_counts',
  'delete from counts where ends < coalesce($1::float8, extract(epoch from clock_timestamp()) * 1000)',
)
