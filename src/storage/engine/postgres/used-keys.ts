import type { Database } from './database.ts'
import { statement } from './statements.ts'

const noteKeys = statement(
  'note_used_keys',
  `insert into used_keys(world, username, at) select * from unnest($1::text[], $2::text[], $3::float8[])
   on conflict (world, username) do update set at = excluded.at where used_keys.at < excluded.at`,
)
const readKeys = statement(
  'used_keys',
  'select username, at from used_keys where world = $1 and username = any($2::text[])',
)
const keepKeys = statement(
  'keep_used_keys',
  'delete from used_keys where world = $1 and username <> all($2::text[])',
)

/** When API keys were last used, for all processes on a database. */
export class UsedKeys {
  readonly #database: Database
  /** Since it was last written down, by world. */
  readonly #used = new Map<string, Map<string, number>>()

  constructor(database: Database) {
    this.#database = database
  }

  note(world: string, username: string, at: number): void {
    let used = this.#used.get(world)
    if (!used) this.#used.set(world, (used = new Map()))
    used.set(username, at)
  }

  async read(world: string, usernames: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await this.flush()
    const rows = await this.#database.query<{ username: string; at: number }>(readKeys, [world, usernames])
    return new Map(rows.map(({ username, at }) => [username, at]))
  }

  /** Forgets those of a world, but these. */
  async keep(world: string, usernames: readonly string[]): Promise<void> {
    await this.flush()
    await this.#database.query(keepKeys, [world, usernames])
  }

  /** Writes down which keys were used, in an order that is that of every process. */
  async flush(): Promise<void> {
    if (this.#used.size === 0) return
    const all = [...this.#used].flatMap(([world, used]) =>
      [...used].map(([username, at]) => ({ world, username, at, place: `${world}\0${username}` })),
    )
    this.#used.clear()
    all.sort((one, other) => (one.place < other.place ? -1 : 1))
    const values = (['world', 'username', 'at'] as const).map((name) => all.map((each) => each[name]))
    await this.#database.query(noteKeys, values)
  }
}
