import type { Client, ClientConfig } from 'pg'
import { later } from '../../../lib/clock/clock.ts'
import { systemMonotonic } from '../../../lib/clock/steady.ts'
import { Listeners, surfaceError } from '../../../lib/listeners.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'
import type { Meter } from '../measures.ts'
import { ReadyClients } from './ready-clients.ts'
import { sendTogether } from './send-together.ts'

/** Prepared once on each connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export interface DatabaseOptions {
  readonly url: string
  /** Told when the database cannot be reached, and when it can again. */
  readonly report?: (level: 'info' | 'warn' | 'error', message: string) => void
}

/** Until it is first tried again to reach the database, and at most, milliseconds. */
const FIRST_RETRY = 100
const LONGEST_RETRY = 2_000
/** How long the database may take for an answer, or to take a connection, milliseconds. */
const LONGEST_QUERY = 15_000
const LONGEST_CONNECT = 5_000

/** Connections to one database. */
export class Database {
  readonly stats = { trips: 0, batches: 0, changes: 0 }
  readonly #options: DatabaseOptions
  readonly #Client: new (config: ClientConfig) => Client
  readonly #types: NonNullable<ClientConfig['types']>
  readonly #sessions = new ReadyClients()
  readonly #recovered = new Listeners<[]>(surfaceListener)
  /** Who is told how it goes. */
  meter: Meter | undefined
  /** Those that are open, and when each was lent, milliseconds. */
  readonly #open = new Map<Client, number>()
  #shared: Promise<Client> | undefined
  #unavailable: StoreUnavailable | undefined
  #stopRetrying = () => {}
  #closed = false

  private constructor(options: DatabaseOptions, pg: (typeof import('pg'))['default']) {
    this.#options = options
    this.#Client = pg.Client
    this.#types = {
      // Versions and sums are far below what a number holds.
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    }
  }

  /** @throws Error in a line when the database cannot be reached */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { default: pg } = await import('pg')
    const database = new Database(options, pg)
    try {
      const client = await database.#connect()
      database.#shared = Promise.resolve(client)
      database.#forgetWhenGone(client)
    } catch (error) {
      throw new UnusableDatabase(
        `SANDBOX_DATABASE_URL leads to no database that can be used: ${said(error)}. Check its address, name, user and password.`,
      )
    }
    return database
  }

  /** Why nothing can be asked for now; undefined while all is well. */
  get unavailable(): StoreUnavailable | undefined {
    return this.#unavailable
  }

  get connections(): number {
    return this.#open.size
  }

  /** Calls `listener` when the database could not be reached and can again. Returns how to stop. */
  onRecovered(listener: () => void): () => void {
    return this.#recovered.add(listener)
  }

  /**
   * Asks by itself, once more where the connection is lost on the way: what a statement does twice must be what it does once.
   * @throws StoreUnavailable without a database
   */
  async query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    for (let again = false; ; again = true) {
      const client = await this.#sharedClient()
      this.stats.trips += 1
      try {
        const began = this.meter ? systemMonotonic() : 0
        sendTogether(client)
        const { rows } = await client.query({ ...statement, values: values as unknown[] })
        this.meter?.trip('statement', systemMonotonic() - began)
        return rows as Row[]
      } catch (error) {
        if (!isLoss(error)) throw error
        this.#drop(client)
        if (again) throw this.#fail(error)
      }
    }
  }

  /** Lends a connection for a transaction; it goes back by `giveBack`. @throws StoreUnavailable without a database */
  async session(): Promise<Client> {
    this.#requireSound()
    const ready = this.#sessions.take()
    const client =
      ready ?? (await this.#connect().catch((error: unknown) => Promise.reject<never>(this.#fail(error))))
    if (this.meter) this.#open.set(client, systemMonotonic())
    return client
  }

  /** @param sound whether it may be used again */
  giveBack(client: Client, sound: boolean): void {
    if (this.meter && sound) this.meter.trip('transaction', systemMonotonic() - (this.#open.get(client) ?? 0))
    if (sound && !this.#closed) this.#sessions.add(client)
    else client.end().catch(() => {})
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopRetrying()
    this.#recovered.clear()
    const shared = await this.#shared?.catch(() => undefined)
    await Promise.all(
      [...this.#sessions.all(), ...(shared ? [shared] : [])].map((each) => each.end().catch(() => {})),
    )
  }

  #requireSound(): void {
    if (this.#closed) throw new StoreUnavailable('The store is closed', { final: true })
    if (this.#unavailable) throw this.#unavailable
  }

  #sharedClient(): Promise<Client> {
    this.#requireSound()
    return (this.#shared ??= this.#connect().then(
      (client) => {
        this.#forgetWhenGone(client)
        return client
      },
      (error: unknown) => {
        this.#shared = undefined
        throw this.#fail(error)
      },
    ))
  }

  #forgetWhenGone(client: Client): void {
    const made = this.#shared
    client.once('end', () => {
      if (this.#shared === made) this.#shared = undefined
    })
  }

  #drop(client: Client): void {
    this.#shared = undefined
    client.end().catch(() => {})
  }

  async #connect(): Promise<Client> {
    const client = new this.#Client({
      connectionString: this.#options.url,
      application_name: 'payments-sandbox',
      connectionTimeoutMillis: LONGEST_CONNECT,
      query_timeout: LONGEST_QUERY,
      keepAlive: true,
      pipeline: true,
      types: this.#types,
    } as ClientConfig)
    // Whoever waits for an answer is told; of one that nobody waits on, the next who takes it finds out.
    client.on('error', () => {})
    client.once('end', () => {
      this.#sessions.remove(client)
      this.#open.delete(client)
    })
    await client.connect()
    try {
      await requireWritable(client)
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    this.#open.set(client, systemMonotonic())
    return client
  }

  /** From now on everything is refused until the database can be reached again. */
  #fail(error: unknown): StoreUnavailable {
    if (this.#unavailable) return this.#unavailable
    const failure = new StoreUnavailable(`The database cannot be reached: ${said(error)}.`)
    if (this.#closed) return failure
    this.#unavailable = failure
    // They may lead to a server that is not the one any more.
    this.#sessions.clear()
    this.#options.report?.('error', failure.message)
    this.#retryIn(FIRST_RETRY)
    return failure
  }

  #retryIn(ms: number): void {
    this.#stopRetrying = later(ms, () => {
      this.#connect().then(
        (client) => {
          this.giveBack(client, true)
          if (this.#closed) return
          this.#unavailable = undefined
          this.#options.report?.('warn', 'The database can be reached again.')
          this.#recovered.tell()
        },
        () => this.#closed || this.#retryIn(Math.min(ms * 2, LONGEST_RETRY)),
      )
    })
  }
}

/** The database cannot be used; the message says why in a line. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
}

/** Refuses a standby, whose rows are those of a while ago, until it is the one that is written to. */
async function requireWritable(client: Client): Promise<void> {
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0].transaction_read_only === 'on') throw new Error('it takes no changes, as a standby does')
}

/** The type of `bigint`. */
const BIGINT = 20

/**
 * Ends of connections: by the administrator, by a crash, while it starts, for idling in a transaction, for there being too many; and
 * a server that takes nothing any more since another took its place.
 */
const ENDS = /^(08|57P|25P03|25006|53300)/

/** Whether the connection is gone, and not only the statement refused. */
export function isLoss(error: unknown): boolean {
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  return severity === undefined || (typeof code === 'string' && ENDS.test(code))
}

/** What an error says in a line; several addresses of one name fail with a list. */
function said(error: unknown): string {
  const { message, errors, code } = error as Error & { errors?: readonly Error[]; code?: string }
  const text = message || errors?.map((each) => each.message).join(', ') || code || String(error)
  return text.replace(/\s+/g, ' ').replace(/\.$/, '')
}

const surfaceListener = (error: unknown) => surfaceError(error, { of: 'recovery' })
