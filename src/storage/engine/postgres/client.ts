import type { Client, ClientConfig } from 'pg'
import type { Duplex } from 'node:stream'
import { StoreUnavailable } from '../../store/store.ts'

/** The type of `bigint`. */
const BIGINT = 20

interface Connection {
  attachListeners(stream: Duplex): void
}

/** Returns the class of all connections: the driver's, without the ways in which it would end the process. */
export function clientClass(pg: (typeof import('pg'))['default']): typeof Client {
  const types: NonNullable<ClientConfig['types']> = {
    // Versions and sums are far below what a number holds.
    getTypeParser: ((oid: number, format: 'text' | 'binary') =>
      oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  }
  return class SandboxClient extends pg.Client {
    constructor(config: ClientConfig) {
      super({ ...config, types })
      // Callers that wait for a response get the error; an idle connection has no one who needs it.
      this.on('error', () => {})
      breakOnNoise((this as unknown as { readonly connection: Connection }).connection)
    }
  }
}

/** The driver's parser throws out of the socket's event when the bytes are not of its protocol; the connection breaks instead. */
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

/**
 * What is asked of a connection from here to the end of this turn leaves in one write: each by itself would cost a call of the
 * system, and wake the database.
 */
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

/** What the errors of PostgreSQL and its driver mean for a change. */
/**
 * Ends of connections: by the administrator, by a crash, during a start, for idling in a transaction, for too many of them; and a
 * server that takes no changes any more since another took its place.
 */
const LOSSES = /^(08|57P|25P03|25006|53300)/
/** The server has no disk, no memory or a damaged file system: no statement is at fault, and the next fails too. */
const OUTAGES = /^(53|58)/
/** The statement came at a bad moment: serialization failures, deadlocks, and timeouts of locks and statements. */
const BAD_MOMENTS = /^(40|55P03|57014)/

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Whether the connection is gone, and not only the statement rejected. */
export function isLoss(error: unknown): boolean {
  return (error as { severity?: unknown }).severity === undefined || LOSSES.test(codeOf(error))
}

/** Whether the database can store nothing for now. */
export const isOutage = (error: unknown): boolean => isFromServer(error) && OUTAGES.test(codeOf(error))

/** Whether the database has as many connections as it allows. */
export const isTooMany = (error: unknown): boolean => codeOf(error) === '53300'

/** Whether another process changed a world between the look at it and the write: a key is there already, or empty on purpose. */
export const isConflict = (error: unknown): boolean => /^(23502|23505)$/.test(codeOf(error))

const isFromServer = (error: unknown) => (error as { severity?: unknown }).severity !== undefined

/** The error for the caller of a statement that the database rejected: unavailable if the same may work in a moment. */
export const refusalOf = (error: unknown): unknown =>
  isFromServer(error) && BAD_MOMENTS.test(codeOf(error))
    ? new StoreUnavailable(`The database gave up on this: ${reasonOf(error)}. Send it again.`, {
        cause: error,
      })
    : error

export const lostConnection = (): StoreUnavailable =>
  new StoreUnavailable('The connection to the database was lost; send it again.')

export const outageOf = (error: unknown): StoreUnavailable =>
  new StoreUnavailable(
    isOutage(error) && !isTooMany(error)
      ? `The database can store nothing: ${reasonOf(error)}.`
      : `The database cannot be reached: ${reasonOf(error)}.`,
    { cause: error },
  )

/** The message of an error in one line; several addresses of one name fail with a list. */
export function reasonOf(error: unknown): string {
  const { message, errors, code } = error as Error & { errors?: readonly Error[]; code?: string }
  const text = message || errors?.map((each) => each.message).join(', ') || code || String(error)
  return text.replace(/\s+/g, ' ').replace(/\.$/, '')
}
