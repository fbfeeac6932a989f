import { hash } from 'node:crypto'
import type { Client, ClientConfig, Pool, PoolClient } from 'pg'
import { later, pause, systemWall, type Wall, systemMonotonic } from '../../../lib/clock/clock.ts'
import { Listeners, surfaceError } from '../../../lib/listeners.ts'
import { StoreUnavailable } from '../../store/change.ts'
import { LONGEST_WAIT, type Meter } from '../shared-state.ts'
import {
  clientClass,
  isLoss,
  isOutage,
  isTooMany,
  lostConnection,
  outageOf,
  reasonOf,
  refusalOf,
  sendTogether,
  DatabaseClock,
} from './client.ts'

export interface Statement {
  readonly name: string
  readonly text: string
}

/** A statement that each connection prepares once, under a name that its text determines. */
export function statement(
  parts: TemplateStringsArray,
  ...constants: readonly (string | number)[]
): Statement {
  const text = String.raw({ raw: parts }, ...constants)
  return { name: hash('sha256', text).slice(0, 16), text }
}

export const CLOCK = 'extract(epoch from clock_timestamp())::float8 * 1000 as clock'

/** Begins a transaction that locks worlds: a process that holds locks and is silent for seconds must not block others. */
export const BEGIN = 'begin; set local idle_in_transaction_session_timeout = 3000'

export interface DatabaseOptions {
  readonly url: string
  /** What contains the address, for messages; SANDBOX_DATABASE_URL by default. */
  readonly setting?: string
  /** Receives outages, recoveries and warnings. */
  readonly report?: (level: 'info' | 'warn' | 'error', message: string) => void
  readonly machine?: Wall
}

/** Delay before the first attempt to reach the database again, and the longest delay, milliseconds. */
const FIRST_RETRY = 100
const LONGEST_RETRY = 2_000
/** How long the database may take for a response, or to accept a connection, milliseconds. */
const LONGEST_QUERY = 15_000
const LONGEST_CONNECT = 5_000
/** Maximum number of connections for transactions; single statements share one more. */
const MOST_LENT = 4
/** Idle connections are closed after this many milliseconds, so that other processes can use them. */
const LONGEST_IDLE = 5_000
/** How long a transaction waits for a connection, and the delay between two attempts, milliseconds. */
const LONGEST_BUSY = 15_000
const BUSY_PAUSE = 50
/** While the server is full, how often a process without a connection asks the others for one, milliseconds. */
const ASKED_EVERY = 500
/** How long the other processes then close connections after use, and wait before they open the next one, milliseconds. */
const YIELDING = 1_000
const REST = 2 * BUSY_PAUSE

/** Connections to one database. */
export class Database {
  readonly stats = { trips: 0, statements: 0, batches: 0, changes: 0 }
  readonly clock: DatabaseClock
  readonly #options: DatabaseOptions
  readonly #newClient: () => Client
  readonly #newPool: () => Pool
  readonly #recovered = new Listeners<[]>((error) => surfaceError(error, { of: 'recovery' }))
  meter: Meter | undefined
  /** Names it in messages. */
  label = 'database'
  /** Called while the server is full and this process has no connection for transactions. */
  onFull = () => {}
  #askedAt = -Infinity
  #yieldUntil = -Infinity
  #restUntil = -Infinity
  #pool: Pool
  readonly #lent = new WeakMap<Client, number>()
  /** The connection for single statements, open or opening. */
  #shared: Promise<Client> | undefined
  /** The schema of all connections, even if the defaults of the role or the database change. */
  #schema: string | undefined
  #unavailable: StoreUnavailable | undefined
  #stopRetrying = () => {}
  #closed = false

  private constructor(options: DatabaseOptions, pg: (typeof import('pg'))['default']) {
    this.#options = options
    this.clock = new DatabaseClock(options.machine ?? systemWall, (message) =>
      options.report?.('warn', message),
    )
    const SandboxClient = clientClass(pg, () => (this.stats.statements += 1))
    const config: ClientConfig & { readonly pipeline: boolean } = {
      connectionString: options.url,
      application_name: 'payments-sandbox',
      connectionTimeoutMillis: LONGEST_CONNECT,
      query_timeout: LONGEST_QUERY,
      keepAlive: true,
      pipeline: true,
    }
    this.#newClient = () => new SandboxClient(config)
    this.#newPool = () => {
      const pool = new pg.Pool({
        ...config,
        Client: SandboxClient,
        max: MOST_LENT,
        idleTimeoutMillis: LONGEST_IDLE,
        onConnect: (client) => this.#prepare(client as Client),
      })
      // The next transaction that gets a broken connection notices.
      pool.on('error', () => {})
      return pool
    }
    this.#pool = this.#newPool()
  }

  /** @throws {UnusableDatabase} If the database cannot be reached. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { default: pg } = await import('pg')
    const database = new Database(options, pg)
    try {
      await database.#share()
    } catch (error) {
      await database.close()
      if (error instanceof UnusableDatabase) throw error
      const Kind = isLoss(error) || isOutage(error) ? UnreachableDatabase : UnusableDatabase
      throw new Kind(
        `${database.setting} does not lead to a usable database: ${reasonOf(error)}. Check its address, name, user and password.`,
      )
    }
    return database
  }

  get setting(): string {
    return this.#options.setting ?? 'SANDBOX_DATABASE_URL'
  }

  warn(message: string): void {
    this.#options.report?.('warn', message)
  }

  get unavailable(): StoreUnavailable | undefined {
    return this.#unavailable
  }

  get connections(): number {
    return this.#pool.totalCount + (this.#shared ? 1 : 0)
  }

  /** Calls `listener` when the database is available again. Returns a function that removes it. */
  onRecovered(listener: () => void): () => void {
    return this.#recovered.add(listener)
  }

  recovered(): void {
    this.#recovered.tell()
  }

  /**
   * Runs one statement, twice if the connection is lost: it must be idempotent.
   * @throws {StoreUnavailable} If the database is unavailable.
   */
  async query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    for (let again = false; ; again = true) {
      this.#requireSound()
      const opening = this.#share()
      const client = await opening.catch((error: unknown) => Promise.reject<never>(this.#fail(error)))
      this.stats.trips += 1
      try {
        const began = this.meter ? systemMonotonic() : 0
        sendTogether(client)
        const { rows } = await client.query({ ...statement, values: values as unknown[] })
        this.meter?.trip('statement', systemMonotonic() - began)
        return rows as Row[]
      } catch (error) {
        if (isOutage(error)) throw this.#fail(error)
        if (!isLoss(error)) throw refusalOf(error)
        this.#forget(opening)
        if (again) throw this.#fail(error)
      }
    }
  }

  /**
   * Lends a connection for a transaction, waiting if all are in use; `giveBack` returns it.
   * @throws {StoreUnavailable} If the database is unavailable.
   */
  async session(): Promise<PoolClient> {
    for (const end = systemMonotonic() + LONGEST_BUSY; ; await pause(BUSY_PAUSE)) {
      this.#requireSound()
      if (systemMonotonic() < this.#restUntil) continue
      try {
        const client = await this.#pool.connect()
        this.#lent.set(client, systemMonotonic())
        return client
      } catch (error) {
        const isFull = isTooMany(error) || (error as Error).message === QUEUE_TIMEOUT
        if (!isFull || (systemMonotonic() > end && this.connections === 0)) throw this.#fail(error)
        if (systemMonotonic() > end)
          throw new StoreUnavailable(
            `All ${this.connections} connections to the database are in use; send it again.`,
          )
        if (this.#pool.totalCount === 0) this.#askForConnection()
      }
    }
  }

  /** For a second, closes connections for transactions as soon as they are idle, because another process has none. */
  yield(): void {
    this.#yieldUntil = systemMonotonic() + YIELDING
    for (let left = this.#pool.idleCount; left > 0; left -= 1)
      this.#pool.connect().then(
        (client) => this.#close(client),
        () => {},
      )
  }

  /** @param sound - Whether the connection may be used again. */
  giveBack(client: PoolClient, sound: boolean): void {
    if (this.meter && sound) this.meter.trip('transaction', systemMonotonic() - this.#lent.get(client)!)
    if (systemMonotonic() < this.#yieldUntil) this.#close(client)
    else client.release(!sound)
  }

  /** Lends a connection to `work`, which runs again if the connection is lost and `tries` are left. @throws {StoreUnavailable} */
  async lend<T>(work: (client: Client) => Promise<T>, tries = 1): Promise<T> {
    const client = await this.session()
    try {
      const result = await work(client)
      this.giveBack(client, true)
      return result
    } catch (error) {
      this.giveBack(client, false)
      if (tries > 1 && isLoss(error)) return this.lend(work, tries - 1)
      throw this.failureOf(error)
    }
  }

  /** Maps an error of a transaction. After an outage everything is rejected until the database can be used again. */
  failureOf(error: unknown): unknown {
    if (isOutage(error)) return this.#fail(error)
    return isLoss(error) ? lostConnection() : refusalOf(error)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopRetrying()
    this.#recovered.clear()
    const shared = await this.#shared?.catch(() => undefined)
    await Promise.all([this.#pool.end(), shared?.end()].map((ending) => ending?.catch(() => {})))
  }

  #requireSound(): void {
    if (this.#closed) throw new StoreUnavailable('The store is closed', { final: true })
    if (this.#unavailable) throw this.#unavailable
  }

  #askForConnection(): void {
    if (systemMonotonic() < this.#askedAt + ASKED_EVERY) return
    this.#askedAt = systemMonotonic()
    this.onFull()
  }

  /** Closes a connection, and opens none for a moment so that another process can. */
  #close(client: PoolClient): void {
    this.#restUntil = systemMonotonic() + REST
    client.release(true)
  }

  /** Returns the connection for single statements. Opens at most one at a time. */
  #share(): Promise<Client> {
    if (this.#shared) return this.#shared
    const opening = this.#connect()
    this.#shared = opening
    const forget = () => {
      if (this.#shared === opening) this.#shared = undefined
    }
    opening.then((client) => client.once('end', forget), forget)
    return opening
  }

  /** Closes the connection for single statements, but not a newer one. */
  #forget(opening: Promise<Client>): void {
    if (this.#shared === opening) this.#shared = undefined
    opening.then((client) => client.end()).catch(() => {})
  }

  async #connect(): Promise<Client> {
    for (const end = systemMonotonic() + LONGEST_BUSY; ; await pause(BUSY_PAUSE)) {
      const client = this.#newClient()
      try {
        await client.connect()
        await this.#prepare(client)
        return client
      } catch (error) {
        client.end().catch(() => {})
        if (!isTooMany(error) || this.#closed || systemMonotonic() > end) throw error
      }
    }
  }

  /** Sets what the session could inherit from the role, the database or the server, and rejects standbys. */
  async #prepare(client: Client): Promise<void> {
    const sent = systemMonotonic()
    const { rows } = await client.query(PREPARE, [String(LONGEST_QUERY), this.#schema, String(LONGEST_WAIT)])
    const [{ schema, read_only, commits, clock }] = rows as [Prepared]
    this.clock.note(sent, systemMonotonic(), clock)
    if (schema === null)
      throw new UnusableDatabase(
        `The search path of ${this.setting} contains no existing schema. Create the schema, or set another search_path.`,
      )
    // Until it is promoted, a standby has old rows.
    if (read_only === 'on') throw new Error('it is read-only, like a standby')
    if (this.#schema === undefined && commits === 'off')
      this.#options.report?.(
        'warn',
        'The database has synchronous_commit off: if it crashes, the last confirmed changes are lost.',
      )
    this.#schema = schema
  }

  /** Rejects everything until the database can be used again. */
  #fail(cause: unknown): StoreUnavailable {
    if (this.#unavailable) return this.#unavailable
    const failure = outageOf(cause, this.label)
    if (this.#closed) return failure
    this.#unavailable = failure
    // Other connections may lead to a server that was replaced.
    const [pool, shared] = [this.#pool, this.#shared]
    this.#pool = this.#newPool()
    pool.end().catch(() => {})
    if (shared) this.#forget(shared)
    this.#options.report?.('error', failure.message)
    this.#retryIn(FIRST_RETRY, isOutage(cause))
    return failure
  }

  /** @param stores - Whether the database must also prove that it can store something. */
  #retryIn(ms: number, stores: boolean): void {
    this.#stopRetrying = later(ms, () => {
      this.#probe(stores).then(
        () => {
          if (this.#closed) return
          this.#unavailable = undefined
          this.#options.report?.('warn', `The ${this.label} is available again.`)
          this.recovered()
        },
        () => this.#closed || this.#retryIn(Math.min(ms * 2, LONGEST_RETRY), stores),
      )
    })
  }

  async #probe(stores: boolean): Promise<void> {
    const opening = this.#share()
    const client = await opening
    if (!stores) return
    try {
      await client.query(PROBE).finally(() => client.query('rollback'))
    } catch (error) {
      if (isLoss(error)) this.#forget(opening)
      throw error
    }
  }
}

/** The database cannot be used; the message contains the reason. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
}

/** No connection to it can be opened. */
export class UnreachableDatabase extends UnusableDatabase {}

interface Prepared {
  readonly schema: string | null
  readonly read_only: string
  readonly commits: string
  readonly clock: number
}

/** Transactions rely on the row locks of read committed. */
const PREPARE = `select set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', $1, false), set_config('lock_timeout', $3, false),
  set_config('idle_in_transaction_session_timeout', $1, false),
  set_config('search_path', quote_ident(coalesce($2, current_schema()::text)), false),
  coalesce($2, current_schema()::text) as schema, current_setting('transaction_read_only') as read_only,
  current_setting('synchronous_commit') as commits, extract(epoch from clock_timestamp())::float8 * 1000 as clock`

/** Writes some pages and rolls back. */
const PROBE = `begin; insert into parts(world, life, base, part, rows)
  select '', '', 0, 0, string_agg(md5(random()::text), '') from generate_series(1, 2048)`

/** The pool's message when no connection becomes free. */
const QUEUE_TIMEOUT = 'timeout exceeded when trying to connect'
