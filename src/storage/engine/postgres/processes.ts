import { systemUuid } from '../../../lib/random/random.ts'
import type { ListedProcess, ProcessCard, Processes } from '../shared-state.ts'
import type { Database } from './database.ts'
import { statement } from './statements.ts'
/** How often a process says that it is there, milliseconds. */
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

/** The processes on a database. */
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

  /** To be called every so many milliseconds. */
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
