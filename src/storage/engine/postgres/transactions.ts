import type { Client } from 'pg'
import { systemUuid } from '../../../lib/random/random.ts'
import type { KeyedMutex } from '../../store/keyed-mutex.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'
import { type Describe, type Wanted, WorldBatch } from './batch.ts'
import { cardValues, columnsOf, invitesIn, noteInvites } from './cards.ts'
import { type Database, isLoss, type Statement } from './database.ts'
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
    client: Client,
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
      throw isLoss(error)
        ? new StoreUnavailable('The connection to the database was lost; send it again.')
        : error
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
      try {
        sendTogether(client)
        const [, locked, seen] = await Promise.all([
          client.query(BEGIN),
          client.query({ ...lock, values: [names] }),
          client.query({ ...sql.since, values: haveOf(names, replicas) }),
        ])
        const held = new Set(locked.rows.map(({ name }: { name: string }) => name))
        return { client, held, rows: grouped(seen.rows as sql.SinceRow[]), moment }
      } catch (error) {
        database.giveBack(client, false)
        if (again || !isLoss(error))
          throw isLoss(error)
            ? new StoreUnavailable('The connection to the database was lost; send it again.')
            : error
      }
    }
  }

  async #keep(client: Client, all: readonly WorldBatch[]): Promise<void> {
    const { database, replicas, onKept } = this.#options
    const written = all.filter(({ appended }) => appended.length > 0)
    const batch = systemUuid()
    const { stats } = database
    if (written.length > 0) {
      stats.trips += 1
      stats.batches += 1
      for (const { appended } of written) stats.changes += appended.length
    }
    const refused =
      written.length > 0
        ? await appendAll(client, written, batch)
        : void client.query('commit').catch(() => {})
    const isLost = refused !== undefined && isLoss(refused)
    database.giveBack(client, !isLost)
    if (refused !== undefined) {
      for (const each of all) each.undo()
      const kept = isLost && (await wasKept(database, written[0]!, batch).catch((error: unknown) => error))
      if (kept !== true) {
        const failure = kept instanceof Error ? kept : notKept(refused)
        for (const each of all) each.refuse(failure)
        return
      }
      // What is kept is taken over from the log, like what another process wrote.
      for (const { name } of written) await this.#catchUp(name).catch(() => {})
    } else {
      for (const each of all) each.keep()
      if (database.meter && written.length > 0)
        database.meter.batch(written.reduce((sum, { appended }) => sum + appended.length, 0))
      for (const { name, isNew, replica, appended } of written) {
        if (isNew) replicas.set(name, replica)
        for (const each of appended) replicas.tell(name, each)
        onKept(name)
      }
    }
    for (const each of all) each.answer()
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

/** Appends and commits, in one trip. Returns what went wrong. */
async function appendAll(client: Client, written: readonly WorldBatch[], batch: string): Promise<unknown> {
  const entries = written.flatMap(({ name, replica, appended }) =>
    appended.map((each) => ({ ...each, name, life: replica.life, born: replica.born })),
  )
  sendTogether(client)
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
  const also = invites.length > 0 ? [client.query({ ...noteInvites, values: columnsOf(invites) })] : []
  const sent = [...news, ...also, client.query({ ...sql.append, values }), client.query('commit')]
  const outcomes = await Promise.allSettled(sent)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) return failed.reason
  const last = outcomes.at(-1) as PromiseFulfilledResult<{ command: string }>
  return last.value.command === 'COMMIT'
    ? undefined
    : new StoreUnavailable('The database took nothing of it.')
}

const notKept = (error: unknown) =>
  isLoss(error)
    ? new StoreUnavailable(
        'The connection to the database was lost and nothing of this was kept; send it again.',
      )
    : new StoreUnavailable('The rows were changed by another process while this ran; send it again.', {
        cause: error,
      })
