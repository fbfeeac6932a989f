import type { Client, ClientConfig } from 'pg'
import type { Duplex } from 'node:stream'
import { StoreUnavailable } from '../../store/change.ts'
import { type Wall, systemMonotonic } from '../../../lib/clock/clock.ts'

const BIGINT = 20

interface Connection {
  attachListeners(stream: Duplex): void
}

/**
 * Returns the driver's client class, without the errors that would end the process.
 * @param onStatement - Called with each statement that is sent.
 */
export function clientClass(pg: (typeof import('pg'))['default'], onStatement: () => void): typeof Client {
  const types: NonNullable<ClientConfig['types']> = {
    // Versions and sums are far below what a number holds.
    getTypeParser: ((oid: number, format: 'text' | 'binary') =>
      oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  }
  return class SandboxClient extends pg.Client {
    constructor(config: ClientConfig) {
      super({ ...config, types })
      // Callers handle the errors of their queries; no one handles errors of idle connections.
      this.on('error', () => {})
      breakOnNoise((this as unknown as { readonly connection: Connection }).connection)
      const query = this.query.bind(this) as (...call: unknown[]) => unknown
      this.query = ((...call: unknown[]) => {
        onStatement()
        return query(...call)
      }) as typeof this.query
    }
  }
}

/** Destroys the connection on bytes of another protocol, for which the driver's parser throws from a socket event. */
function breakOnNoise(connection: Connection): void {
  const attach = connection.attachListeners
  connection.attachListeners = function (stream) {
    attach.call(this, stream)
    const parse = stream.listeners('data').at(-1) as (bytes: Buffer) => void
    stream.off('data', parse)
    stream.on('data', (bytes: Buffer) => {
      try {
        parse(bytes)
      } catch (error) {
        stream.destroy(error as Error)
      }
    })
  }
}

const corked = new WeakSet<Duplex>()

/** Sends everything queried until the end of this turn in one write: each write costs a system call and wakes the database. */
export function sendTogether(client: Client): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection
  if (corked.has(stream)) return
  corked.add(stream)
  stream.cork()
  process.nextTick(() => {
    corked.delete(stream)
    stream.uncork()
  })
}

/**
 * Lost connections: ended by the administrator, a crash, a start, an idle transaction, too many connections, or a server that
 * became read-only after a failover.
 */
const LOSSES = /^(08|57P|25P03|25006|53300)/
/** The server is out of disk or memory, or its file system is damaged: other statements fail too. */
const OUTAGES = /^(53|58)/
/** Serialization failures, deadlocks, and timeouts of locks and statements: a retry may succeed. */
const BAD_MOMENTS = /^(40|55P03|57014)/
const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Returns whether the connection is lost, rather than only the statement rejected. */
export function isLoss(error: unknown): boolean {
  return (error as { severity?: unknown }).severity === undefined || LOSSES.test(codeOf(error))
}

export const isOutage = (error: unknown): boolean => isFromServer(error) && OUTAGES.test(codeOf(error))

export const isTooMany = (error: unknown): boolean => codeOf(error) === '53300'

/** Returns whether another process changed the world after it was read: a key exists already, or is null on purpose. */
export const isConflict = (error: unknown): boolean => /^(23502|23505)$/.test(codeOf(error))

const isFromServer = (error: unknown) => (error as { severity?: unknown }).severity !== undefined

/** Maps an error of a statement: unavailable if a retry may succeed. */
export const refusalOf = (error: unknown): unknown =>
  isFromServer(error) && BAD_MOMENTS.test(codeOf(error))
    ? new StoreUnavailable(
        `The database rejected this for the moment: ${codeOf(error) === '55P03' ? 'another process locks the world' : reasonOf(error)}. Send it again.`,
        { cause: error },
      )
    : error

export const lostConnection = (): StoreUnavailable =>
  new StoreUnavailable('The connection to the database was lost; send it again.')

export const outageOf = (error: unknown, label: string): StoreUnavailable =>
  new StoreUnavailable(
    isOutage(error) && !isTooMany(error)
      ? `The ${label} can store nothing: ${reasonOf(error)}.`
      : `The ${label} cannot be reached: ${reasonOf(error)}.`,
    { cause: error },
  )

/** Returns the message of an error in one line; if a host has several addresses, the driver fails with a list. */
export function reasonOf(error: unknown): string {
  const { message, errors, code } = error as Error & { errors?: readonly Error[]; code?: string }
  const text = message || errors?.map((each) => each.message).join(', ') || code || String(error)
  return text.replace(/\s+/g, ' ').replace(/\.$/, '')
}

/** Requests of one batch by key; callers with the same key share a request. */
export type Batch<Request, Result> = ReadonlyMap<
  string,
  {
    readonly request: Request
    readonly callers: { resolve(result: Result): void; reject(error: unknown): void }[]
  }
>

/** Collects requests while a batch is sent, and sends them together in the next one. */
export class Batcher<Request, Result> {
  readonly #send: (batch: Batch<Request, Result>) => Promise<void>
  readonly #most: number
  #waiting: Map<string, NonNullable<ReturnType<Batch<Request, Result>['get']>>> = new Map()
  #running = 0

  /**
   * @param send - Resolves the callers of a batch; if it throws, they are rejected.
   * @param most - Maximum number of batches at a time.
   */
  constructor(send: (batch: Batch<Request, Result>) => Promise<void>, most = 1) {
    this.#send = send
    this.#most = most
  }

  add(key: string, request: Request): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      const known = this.#waiting.get(key)
      if (known) known.callers.push({ resolve, reject })
      else this.#waiting.set(key, { request, callers: [{ resolve, reject }] })
    })
    if (this.#running < this.#most) void this.#run()
    return result
  }

  async #run(): Promise<void> {
    this.#running += 1
    // Requests of the same turn go into the first batch.
    await undefined
    while (this.#waiting.size > 0) {
      const batch = this.#waiting
      this.#waiting = new Map()
      await this.#send(batch).catch((error: unknown) => {
        for (const { callers } of batch.values()) for (const { reject } of callers) reject(error)
      })
    }
    this.#running -= 1
  }
}

/** Maximum drift of the machine's clock between two readings, as a share of the time between them. */
const DRIFT = 1e-3
/** A machine whose clock differs by more than this gets a warning, milliseconds. */
const DIFFERENCE = 2_000

/** The database's time, which all processes share: monotonic time plus an offset, measured with each response of the database. */
export class DatabaseClock {
  readonly #machine: Wall
  readonly #warn: (message: string) => void
  readonly #monotonic: () => number
  #offset = 0
  /** The maximum error of the offset, and when it was measured. */
  #error = Infinity
  #at = 0
  #hasWarned = false

  constructor(machine: Wall, warn: (message: string) => void, monotonic = systemMonotonic) {
    this.#machine = machine
    this.#warn = warn
    this.#monotonic = monotonic
  }

  readonly wall: Wall = () => Math.floor(this.#monotonic() + this.#offset)

  /** Updates the offset. @param sent, @param received - When the query was sent and answered, in monotonic time. */
  note(sent: number, received: number, time: number): void {
    const offset = time - (sent + received) / 2
    const error = (received - sent) / 2
    const known = this.#error + (received - this.#at) * DRIFT
    // A contradiction: the database's clock was set, or another server took over.
    const wasSet = Math.abs(offset - this.#offset) > error + known + 1
    if (error > known && !wasSet) return
    this.#offset = offset
    this.#error = error
    this.#at = received
    this.#compare()
  }

  #compare(): void {
    const ahead = this.#machine() - this.wall()
    if (Math.abs(ahead) < DIFFERENCE) {
      this.#hasWarned = false
      return
    }
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#warn(
      `The clock of this machine is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's. The sandbox uses the database's clock; set the clock of this machine.`,
    )
  }
}
