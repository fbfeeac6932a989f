import type { Moment } from '../../store/store.ts'
import type { ListedWorlds, WorldQuery, WorldRegistry } from '../worlds.ts'
import type { Database } from './database.ts'
import { listWorlds } from './world-list.ts'
import { statement } from './statements.ts'
import type { PostgresStore } from './store.ts'
const noteUsed = statement(
  'note_used',
  `insert into used(world, at) select * from unnest($1::text[], $2::float8[])
   on conflict (world) do update set at = excluded.at where used.at < excluded.at`,
)
const lastUsed = statement('last_used', 'select at from used where world = $1')

type KeyMethods = 'keyUsed' | 'keepKeys' | 'keysUsed'

/** The worlds of a database. */
export class PostgresRegistry implements Omit<WorldRegistry, 'forget' | KeyMethods> {
  readonly #database: Database
  readonly #store: PostgresStore
  /** Worlds that were called since it was last written down. */
  readonly #used = new Map<string, number>()

  constructor(database: Database, store: PostgresStore) {
    this.#database = database
    this.#store = store
    store.onWorld((name, event) => {
      if (event === 'dropped') this.#used.delete(name)
    })
  }

  names(): Promise<readonly string[]> {
    return this.#store.worlds()
  }

  has(name: string, since?: Moment): Promise<boolean> {
    return this.#store.has(name, since)
  }

  create(...world: Parameters<WorldRegistry['create']>): Promise<boolean> {
    return this.#store.create(...world)
  }

  drop(name: string): Promise<void> {
    return this.#store.drop(name)
  }

  used(name: string, at: number): void {
    if (at > (this.#used.get(name) ?? -Infinity)) this.#used.set(name, at)
  }

  async lastUsed(name: string): Promise<number | undefined> {
    await this.flush()
    const [row] = await this.#database.query<{ at: number }>(lastUsed, [name])
    return row?.at
  }

  async list(query: WorldQuery): Promise<ListedWorlds> {
    await this.flush()
    return listWorlds(this.#database, query)
  }

  onChanged(...[listener]: Parameters<WorldRegistry['onChanged']>): () => void {
    return this.#store.onWorld(listener)
  }

  /** Writes down which worlds were called. */
  async flush(): Promise<void> {
    if (this.#used.size === 0) return
    const used = new Map(this.#used)
    this.#used.clear()
    const names = [...used.keys()].toSorted()
    await this.#database.query(noteUsed, [names, names.map((name) => used.get(name))])
  }
}
