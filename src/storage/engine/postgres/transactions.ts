import type { Client, PoolClient } from 'pg'
import { systemMonotonic } from '../../../lib/clock/steady.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import type { KeyedMutex } from '../../store/keyed-mutex.ts'
import { revokedIn } from '../../store/revoked-keys.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { type Describe, type Wanted, WorldBatch } from './batch.ts'
import { cardValues, columnsOf, invitesIn, noteInvites } from './cards.ts'
import { noteRevoked } from './snapshots.ts'
import type { Database, Statement } from './database.ts'
import { isConflict, isLoss, isOutage, lostConnection } from './errors.ts'
import { grouped, haveOf } from './refresher.ts'
import type { Replicas } from './replicas.ts'
import { sendTogether } from './send-together.ts'
import * as sql from './statements.ts'
import { wasKept } from './was-kept.ts'

export interface TransactionsOptions {
  readonly database: Database
  readonly replicas: Replicas
  /** Who has a world's replica, which nobody else looks at meanwhile. */
  readonly looking: KeyedMutex
  readonly describe: Describe
  /** Takes out what waits to be made in a world. */
  readonly take: (name: string) => readonly Wanted[]
  /** Told when changes of a world are kept. */
  readonly onKept: (name: string) => void
}

/** Locks worlds, takes over what others appended, makes changes in memory and appends them: two trips, whoever's worlds they are. */
export class Transactions {
  readonly #options: TransactionsOptions

  constructor(options: TransactionsOptions) {
    this.#options = options
  }

  /**
   * Makes what is wanted of these worlds. Returns those that another process has locked.
   * @throws what stood in the way before anything was made
   */
  async run(names: readonly string[], lock: Statement): Promise<readonly string[]> {
    const { client, held, rows, moment } = await this.#enter(names, lock)
    const busy = names.filter((name) => rows.has(name) && !held.has(name))
    const free = names.filter((name) => !busy.includes(name))
    // Not before: until it is entered, others may look at a world.
    const { looking } = this.#options
    for (const name of free) await looking.acquire(name)
    try {
      await this.#make(client, free, rows, moment)
    } finally {
      for (const name of free) looking.release(name)
    }
    return busy
  }

  /** Makes what is wanted of worlds that were entered, and keeps it. @throws what stood in the way before anything was made */
  async #make(
    client: PoolClient,
    names: readonly string[],
    rows: ReadonlyMap<string, readonly sql.SinceRow[]>,
    moment: number,
  ): Promise<void> {
    const { database, replicas } = this.#options
    const batches: WorldBatch[] = []
    try {
      for (const name of names) {
        const readWhole = async () =>
          (await client.query({ ...sql.whole, values: [name] })).rows as sql.WholeRow[]
        const replica = await replicas.follow(name, rows.get(name) ?? [], moment, readWhole)
        batches.push(new WorldBatch(name, replica, systemUuid, this.#options.describe))
      }
    } catch (error) {
      database.giveBack(client, false)
      throw this.#refusal(error)
    }
    for (const batch of batches) batch.make(this.#options.take(batch.name))
    await this.#keep(client, batches)
  }

  /** Locks and looks, in one trip; once more where the connection is lost on the way, since nothing was done. */
  async #enter(names: readonly string[], lock: Statement) {
    const { database, replicas } = this.#options
    for (let again = false; ; again = true) {
      const client = await database.session()
      const moment = replicas.nextMoment()
      database.stats.trips += 1
      const sent = systemMonotonic()
      try {
        sendTogether(client)
        const [, locked, seen] = await Promise.all([
          client.query(BEGIN),
          client.query({ ...lock, values: [names] }),
          client.query({ ...sql.since, values: haveOf(names, replicas) }),
        ])
        const [row] = locked.rows as readonly { readonly clock: number }[]
        if (row) database.clock.note(sent, systemMonotonic(), row.clock)
        const held = new Set(locked.rows.map(({ name }: { name: string }) => name))
        return { client, held, rows: grouped(seen.rows as sql.SinceRow[]), moment }
      } catch (error) {
        database.giveBack(client, false)
        if (again || !isLoss(error)) throw this.#refusal(error)
      }
    }
  }

  async #keep(client: PoolClient, all: readonly WorldBatch[]): Promise<void> {
    const { stats } = this.#options.database
    const written = all.filter(({ appended }) => appended.length > 0)
    const others = all.filter(({ appended }) => appended.length === 0)
    if (written.length > 0) {
      stats.batches += 1
      for (const { appended } of written) stats.changes += appended.length
      await this.#settle(client, written)
    } else {
      client.query('commit').catch(() => {})
      this.#options.database.giveBack(client, true)
    }
    for (const each of others) each.keep()
    for (const each of others) each.answer()
  }

  /** Appends what was made and commits it; what the database rejects, world by world, so that one world is no other's fault. */
  async #settle(client: PoolClient, written: readonly WorldBatch[]): Promise<void> {
    const { database } = this.#options
    const { batch, error } = await this.#append(client, written)
    if (error === undefined) {
      database.giveBack(client, true)
      return this.#confirm(written)
    }
    if (isLoss(error)) return this.#lose(client, written, batch, error)
    const left = [...written]
    if (left.length > 1 && !isOutage(error)) {
      for (let one = left.shift(); one; one = left.shift()) {
        const alone = await this.#append(client, [one], BEGIN)
        if (alone.error === undefined) this.#confirm([one])
        else if (!isLoss(alone.error)) this.#reject([one], this.#refusal(alone.error))
        else {
          await this.#lose(client, [one], alone.batch, alone.error)
          return this.#reject(left, lostConnection())
        }
      }
    }
    database.giveBack(client, true)
    this.#reject(left, this.#refusal(error))
  }

  /** Appends worlds to their logs and commits, in one trip. */
  async #append(client: Client, written: readonly WorldBatch[], begin?: string) {
    const batch = systemUuid()
    this.#options.database.stats.trips += 1
    return { batch, error: await appendAll(client, written, batch, begin) }
  }

  #confirm(written: readonly WorldBatch[]): void {
    const { database, replicas, onKept } = this.#options
    for (const each of written) each.keep()
    database.meter?.batch(written.reduce((sum, { appended }) => sum + appended.length, 0))
    for (const { name, isNew, replica, appended } of written) {
      if (isNew) replicas.set(name, replica)
      for (const each of appended) replicas.tell(name, each)
      onKept(name)
    }
    for (const each of written) each.answer()
  }

  #reject(written: readonly WorldBatch[], error: unknown): void {
    for (const each of written) each.undo()
    for (const each of written) each.refuse(error)
  }

  /** Finds out what became of a commit whose answer was lost. */
  async #lose(
    client: PoolClient,
    written: readonly WorldBatch[],
    batch: string,
    lost: unknown,
  ): Promise<void> {
    const { database } = this.#options
    database.giveBack(client, false)
    for (const each of written) each.undo()
    const kept = await wasKept(database, written[0]!, batch).catch((error: unknown) => error)
    if (kept !== true) {
      const failure =
        kept === false
          ? new StoreUnavailable(
              'The connection to the database was lost and nothing of this was kept; send it again.',
              { cause: lost },
            )
          : kept
      for (const each of written) each.refuse(failure)
      return
    }
    // What is kept is taken over from the log, like what another process wrote.
    for (const { name } of written) await this.#catchUp(name).catch(() => {})
    for (const each of written) each.answer()
  }

  /** The error for callers whose changes were not kept. */
  #refusal(error: unknown): unknown {
    if (isConflict(error))
      return new StoreUnavailable('The rows were changed by another process while this ran; send it again.', {
        cause: error,
      })
    return this.#options.database.failureOf(error)
  }

  async #catchUp(name: string): Promise<void> {
    const { database, replicas } = this.#options
    const moment = replicas.nextMoment()
    const rows = await database.query<sql.SinceRow>(sql.since, haveOf([name], replicas))
    await replicas.follow(name, rows, moment, () => database.query<sql.WholeRow>(sql.whole, [name]))
  }
}

/** Whoever has locked worlds and says nothing for a second has to give way to others. */
const BEGIN = 'begin; set local idle_in_transaction_session_timeout = 1000'

/** Appends and commits, in one trip. Returns what went wrong. @param begin what begins the transaction, where none is open */
async function appendAll(
  client: Client,
  written: readonly WorldBatch[],
  batch: string,
  begin?: string,
): Promise<unknown> {
  const entries = written.flatMap(({ name, replica, appended }) =>
    appended.map((each) => ({ ...each, name, life: replica.life, born: replica.born })),
  )
  sendTogether(client)
  const begun = begin === undefined ? [] : [client.query(begin)]
  const news = written
    .filter(({ isNew }) => isNew)
    .map(({ name, replica }) => client.query({ ...sql.found, values: [name, replica.born, replica.life] }))
  const values = [
    written.map(({ name }) => name),
    written.map(({ replica }) => replica.life),
    written.map(({ replica }) => replica.version),
    written.map(({ last }) => last),
    written.map(({ bytes }) => bytes),
    batch,
    entries.map(({ name }) => name),
    entries.map(({ life }) => life),
    entries.map(({ version }) => version),
    entries.map(({ text }) => text),
    entries.map(({ time }) => time),
    entries.map(({ events }) => events),
    entries.map(({ born }) => born),
    ...columnsOf(written.map(({ card }) => cardValues(card))),
  ]
  const invites = written.flatMap(({ name, appended }) => invitesIn(name, appended))
  const revoked = written.flatMap(({ name, appended }) => revokedBy(name, appended))
  const also = [
    ...(invites.length > 0 ? [client.query({ ...noteInvites, values: columnsOf(invites) })] : []),
    ...(revoked.length > 0 ? [client.query({ ...noteRevoked, values: columnsOf(revoked) })] : []),
  ]
  const sent = [...begun, ...news, ...also, client.query({ ...sql.append, values }), client.query('commit')]
  const outcomes = await Promise.allSettled(sent)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) return failed.reason
  const last = outcomes.at(-1) as PromiseFulfilledResult<{ command: string }>
  return last.value.command === 'COMMIT'
    ? undefined
    : new StoreUnavailable('The database took nothing of it.')
}

/** The keys that changes of a world revoked, each with the version that did so. */
function revokedBy(world: string, appended: WorldBatch['appended']): readonly (readonly unknown[])[] {
  const last = new Map<string, readonly [at: number, version: number]>()
  for (const { written, version } of appended)
    for (const [username, at] of revokedIn(written)) last.set(username, [at, version])
  return [...last].map(([username, [at, version]]) => [world, username, at, version])
}
