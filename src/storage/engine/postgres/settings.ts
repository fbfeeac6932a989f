import { Listeners, type OnError } from '../../../lib/listeners.ts'
import type { SharedSettings } from '../shared-state.ts'
import type { Database } from './database.ts'
import { statement } from './statements.ts'
interface SettingRow {
  readonly name: string
  readonly value: string
  readonly version: number
}

const readSettings = statement('settings', 'select name, value, version from settings')
const setSetting = statement(
  'set_setting',
  `insert into settings as s (name, value, version) values ($1, $2, 1)
   on conflict (name) do update set value = excluded.value, version = s.version + 1 where s.version = $3
   returning version`,
)

/** What is set for all processes on a database, over restarts. */
export class PostgresSettings implements SharedSettings {
  readonly #database: Database
  readonly #listeners: Listeners<[name: string, value: unknown]>
  readonly #known = new Map<string, { readonly value: unknown; readonly version: number }>()

  constructor(database: Database, onError: OnError) {
    this.#database = database
    this.#listeners = new Listeners<[name: string, value: unknown]>((error, setting) =>
      onError(error, { of: 'settings', setting }),
    )
  }

  get(name: string): unknown {
    return this.#known.get(name)?.value
  }

  async look(): Promise<void> {
    for (const row of await this.#database.query<SettingRow>(readSettings, [])) this.#heard(row)
  }

  async change(name: string, work: (value: unknown) => unknown): Promise<void> {
    for (;;) {
      await this.look()
      const before = this.#known.get(name)
      const value = JSON.stringify(work(before?.value) ?? null)
      const [row] = await this.#database.query<{ version: number }>(setSetting, [
        name,
        value,
        before?.version ?? 0,
      ])
      if (row) return this.#heard({ name, value, version: row.version })
    }
  }

  onChanged(listener: (name: string, value: unknown) => void): () => void {
    return this.#listeners.add(listener)
  }

  #heard({ name, value: text, version }: SettingRow): void {
    if (version <= (this.#known.get(name)?.version ?? 0)) return
    const value: unknown = JSON.parse(text) ?? undefined
    this.#known.set(name, { value, version })
    this.#listeners.tell(name, value)
  }
}
