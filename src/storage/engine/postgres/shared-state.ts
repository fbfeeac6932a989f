import { Listeners, type OnError } from '../../../lib/listeners.ts'
import type {
  ListedProcess,
  Locks,
  Measures,
  ProcessCard,
  Processes,
  SharedSettings,
  Vitals,
} from '../shared-state.ts'
import { type Database, type Statement, statement } from './database.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import { OWNERSHIP } from '../job-queue.ts'

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

/** How often a process reports, milliseconds. */
const BEATS_EVERY = 5_000

interface ProcessRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly told: string
  readonly since: number
  readonly seen: number
}

const beat = statement(
  'beat',
  `insert into processes(id, name, version, told) values ($1, $2, $3, $4)
   on conflict (id) do update set name = excluded.name, version = excluded.version, told = excluded.told,
     seen = clock_timestamp()`,
)
const listProcesses = statement(
  'processes',
  `select id::text as id, name, version, told, extract(epoch from since)::float8 * 1000 as since,
     extract(epoch from seen)::float8 * 1000 as seen
     from processes where seen > clock_timestamp() - interval '20 seconds' order by since, id`,
)
const leaveProcesses = statement('leave_processes', 'delete from processes where id = $1')
const forgetProcesses = statement(
  'forget_processes',
  `delete from processes where seen < clock_timestamp() - interval '1 hour'`,
)

export class PostgresProcesses implements Processes {
  readonly #database: Database
  readonly #id = systemUuid()
  #own:
    | { readonly card: () => ProcessCard; readonly onSeen: (all: readonly ListedProcess[]) => void }
    | undefined
  #since = BEATS_EVERY

  constructor(database: Database) {
    this.#database = database
  }

  join(card: () => ProcessCard, onSeen: (all: readonly ListedProcess[]) => void): void {
    this.#own ??= { card, onSeen }
  }

  async list(): Promise<readonly ListedProcess[]> {
    await this.#beat()
    const rows = await this.#database.query<ProcessRow>(listProcesses, [])
    return rows.map(({ id, told, ...row }) => ({
      ...row,
      told: JSON.parse(told) as ListedProcess['told'],
      own: id === this.#id,
    }))
  }

  async tend(since: number): Promise<void> {
    this.#since += since
    if (!this.#own || this.#since < BEATS_EVERY) return
    this.#since = 0
    this.#own.onSeen(await this.list())
  }

  async sweep(): Promise<void> {
    await this.#database.query(forgetProcesses, [])
  }

  async close(): Promise<void> {
    await this.#database.query(leaveProcesses, [this.#id])
  }

  async #beat(): Promise<void> {
    if (!this.#own) return
    const { name, version, told } = this.#own.card()
    await this.#database.query(beat, [this.#id, name, version, JSON.stringify(told)])
  }
}

const beginWork: Statement = {
  name: 'begin_work',
  text: `insert into calendar(name, due_at) values ($1, $2)
         on conflict (name) do update set due_at = excluded.due_at where calendar.due_at < excluded.due_at
         returning name`,
}

export const postgresLocks = (database: Database): Locks => ({
  async runOnce(name, due_at, work) {
    const [begun] = await database.query(beginWork, [name, due_at])
    if (begun) await work()
    return begun !== undefined
  },
})

const vitals = statement(
  'vitals',
  `with n as (select extract(epoch from clock_timestamp())::float8 * 1000 as now)
   select coalesce(greatest(n.now - (select min(until) from job_owners) + $1::float8, 0), 0)::float8 as lease_age
     from n`,
)

/** @param caughtUp - Returns the number of changes read from other processes. */
export const postgresMeasures = (database: Database, caughtUp: () => number): Measures => ({
  measure: (meter) => void (database.meter = meter),
  async vitals() {
    const [row] = await database.query<Vitals & object>(vitals, [OWNERSHIP])
    return row!
  },
  get unavailable() {
    return database.unavailable !== undefined
  },
  get connections() {
    return database.connections
  },
  get caughtUp() {
    return caughtUp()
  },
})
