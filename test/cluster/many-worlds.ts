import { Client } from 'pg'

/** Copies a world by SQL, under the names `demo+f1` and so on. */
export async function copyWorld(database: string, from: string, copies: number): Promise<void> {
  const client = new Client(database)
  await client.connect()
  try {
    const columns = async (table: string, left: readonly string[]) =>
      (
        await client.query(
          `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
          [table],
        )
      ).rows
        .map(({ name }: { name: string }) => name)
        .filter((name) => !left.includes(name))
        .join(', ')
    for (const [table, key, left] of [
      ['worlds', 'name', ['number']],
      ['parts', 'world', []],
      ['log', 'world', []],
    ] as const) {
      const others = await columns(table, [key, ...left])
      await client.query(
        `insert into ${table}(${key}, ${others})
         select 'demo+f' || n, ${others} from ${table}, generate_series(1, ${copies}) n where ${key} = '${from}'`,
      )
    }
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** Rows of worlds that statements have read and written. */
export async function rowsTouched(database: string): Promise<number> {
  const client = new Client(database)
  await client.connect()
  try {
    const { rows } = await client.query(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::float8 as touched
         from pg_stat_user_tables
        where schemaname = current_schema() and relname in ('worlds', 'parts', 'log', 'job_owners', 'used', 'journals', 'journal')`,
    )
    return (rows as { touched: number }[])[0]!.touched
  } finally {
    await client.end()
  }
}
