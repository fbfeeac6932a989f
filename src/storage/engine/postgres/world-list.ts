import type { ListedWorld, ListedWorlds, WorldQuery } from '../worlds.ts'
import type { Database } from './database.ts'
import { statement } from './statements.ts'
type ListedRow = Omit<ListedWorld, 'used_at' | 'made_at'> & {
  readonly used_at: number | null
  readonly made_at: number | null
}

const listed = statement(
  'list_worlds',
  `select * from (
     select w.name, floor(coalesce(u.at, extract(epoch from w.made_at) * 1000, 0))::float8 as at, u.at as used_at,
       floor(extract(epoch from w.made_at) * 1000)::float8 as made_at, w.base_bytes + w.log_bytes as bytes
       from worlds w left join used u on u.world = w.name
      where left(w.name, length($1::text)) = $1
   ) e
   where $3::float8 is null or at < $3 or (at = $3 and name collate "C" > $4::text)
   order by at desc, name collate "C" limit $2::int`,
)
const countListed = statement(
  'count_listed',
  'select count(*) as total from worlds where left(name, length($1::text)) = $1',
)
/** A page of the worlds of a database, and how many there are. */
export async function listWorlds(
  database: Database,
  { prefix, limit, after }: WorldQuery,
): Promise<ListedWorlds> {
  const [rows, [counted]] = await Promise.all([
    database.query<ListedRow>(listed, [prefix, limit, after?.at ?? null, after?.name ?? null]),
    database.query<{ total: number }>(countListed, [prefix]),
  ])
  const worlds = rows.map(({ used_at, made_at, ...row }) => ({
    ...row,
    used_at: used_at ?? undefined,
    made_at: made_at ?? undefined,
  }))
  return { worlds, total: counted!.total }
}
