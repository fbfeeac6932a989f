import type { Client, PoolClient } from 'pg'
import { systemMonotonic, pause, type KeyedMutex } from '../../../lib/clock/clock.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import type { WorldOwnership } from './ownership.ts'
import { StoreUnavailable } from '../../store/change.ts'
import { appendAll, type Describe, type Wanted, WorldBatch } from './batch.ts'
import { BEGIN, type Database, type Statement, statement } from './database.ts'
import { isConflict, isLoss, isOutage, lostConnection, sendTogether } from './client.ts'
import {
  changesSince,
  grouped,
  haveOf,
  lockWaiting,
  type Replica,
  type Replicas,
  type SinceRow,
} from './replicas.ts'
import { readWorld, readWorldIn } from './parts.ts'

/** Appends an empty change if a world still has this version. */
const appendEmpty = statement`
  with w as (
    update worlds set version = version + 1 where name = $1 and life = $2 and version = $3 returning version, born)
  insert into log(world, life, version, batch, writes, born) select $1, $2, w.version, $4::uuid, '[]', w.born from w`

/** The batch that wrote a version, to find the outcome of a commit. */
const batchOf = statement`
  select batch::text as batch from log where world = $1 and life = $2 and version = $3`

export interface CommitsOptions {
  readonly database: Database
  readonly replicas: Replicas
  readonly ownership: WorldOwnership
  /** Held while a world's replica is used. */
  readonly looking: KeyedMutex
  readonly describe: Describe
  /** Takes the waiting changes of a world. */
  readonly take: (name: string) => readonly Wanted[]
  /** Returns changes that are to be made again. */
  readonly putBack: (name: string, wanted: readonly Wanted[]) => void
  /** Called after changes of a world are committed. */
  readonly onKept: (name: string) => void
}

/**
 * Changes worlds. For worlds of this process, applies changes in memory and appends them in one statement. Otherwise locks the
 * worlds, reads what others appended, applies the changes and appends them, in two round trips.
 */
export class Commits {
  readonly #options: CommitsOptions

  constructor(options: CommitsOptions) {
    this.#options = options
  }

  /** Makes the changes of worlds of this process. Returns those that are not its own by now. */
  async runOwn(names: readonly string[]): Promise<readonly string[]> {
    const { looking, ownership, replicas, take } = this.#options
    for (const name of names) await looking.acquire(name)
    try {
      const own = names.filter((name) => ownership.isCurrent(name))
      const owners = { held: ownership.id, owner: ownership.id, isOwn: true }
      const batches = own.map((name) => this.#batch(name, replicas.get(name), owners))
      for (const batch of batches) batch.make(take(batch.name))
      await this.#keep(undefined, batches)
      return names.filter((name) => !own.includes(name))
    } finally {
      for (const name of names) looking.release(name)
    }
  }

  #batch(name: string, replica: Replica | undefined, owners: ConstructorParameters<typeof WorldBatch>[4]) {
    return new WorldBatch(name, replica, systemUuid, this.#options.describe, owners)
  }

  /**
   * Makes the changes of these worlds. Returns the worlds that another process has locked or answers for.
   * @throws an error that occurred before any change was made
   */
  async run(names: readonly string[], lock: Statement): Promise<readonly string[]> {
    const { client, held, rows, moment } = await this.#enter(names, lock)
    const isTaken = (name: string) => {
      const [row] = rows.get(name) ?? []
      return row?.owned === true && row.owner !== this.#options.ownership.id
    }
    const left = names.filter((name) => rows.has(name) && (!held.has(name) || isTaken(name)))
    const free = names.filter((name) => !left.includes(name))
    // Acquired as late as possible: others may read the worlds until then.
    const { looking } = this.#options
    for (const name of free) await looking.acquire(name)
    try {
      await this.#make(client, free, rows, moment)
    } finally {
      for (const name of free) looking.release(name)
    }
    return left
  }

  /** Makes and commits the changes of locked worlds. @throws an error that occurred before any change was made */
  async #make(
    client: PoolClient,
    names: readonly string[],
    rows: ReadonlyMap<string, readonly SinceRow[]>,
    moment: number,
  ): Promise<void> {
    const { database, replicas, ownership } = this.#options
    const batches: WorldBatch[] = []
    try {
      for (const name of names) {
        const readWhole = (bytes: number) => readWorldIn(client, name, bytes)
        const seen = rows.get(name) ?? []
        const replica = await replicas.follow(name, seen, moment, readWhole)
        const owner = seen[0]?.leased === false ? ownership.ownerFor(name) : null
        batches.push(this.#batch(name, replica, { held: seen[0]?.owner ?? null, owner, isOwn: false }))
      }
    } catch (error) {
      database.giveBack(client, false)
      throw this.#refusal(error)
    }
    for (const batch of batches) batch.make(this.#options.take(batch.name))
    await this.#keep(client, batches)
  }

  /** Locks and reads in one round trip. Repeated once if the connection is lost, since nothing was changed. */
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
          client.query({ ...changesSince, values: haveOf(names, replicas) }),
        ])
        const [row] = locked.rows as readonly { readonly clock: number }[]
        if (row) database.clock.note(sent, systemMonotonic(), row.clock)
        const held = new Set(locked.rows.map(({ name }: { name: string }) => name))
        return { client, held, rows: grouped(seen.rows as SinceRow[]), moment }
      } catch (error) {
        database.giveBack(client, false)
        if (again || !isLoss(error)) throw this.#refusal(error)
      }
    }
  }

  async #keep(client: PoolClient | undefined, all: readonly WorldBatch[]): Promise<void> {
    const { stats } = this.#options.database
    const written = all.filter(({ appended }) => appended.length > 0)
    const others = all.filter(({ appended }) => appended.length === 0)
    if (written.length > 0) {
      stats.batches += 1
      for (const { appended } of written) stats.changes += appended.length
      await this.#settle(client, written)
    } else if (client) {
      client.query('commit').catch(() => {})
      this.#options.database.giveBack(client, true)
    }
    for (const each of others) each.keep()
    for (const each of others) each.answer()
  }

  /** Appends and commits. A rejected transaction is repeated world by world, so that one world does not affect others. */
  async #settle(entered: PoolClient | undefined, written: readonly WorldBatch[]): Promise<void> {
    const { database } = this.#options
    const client =
      entered ?? (await database.session().catch((error: unknown) => this.#reject(written, error)))
    if (!client) return
    const { batch, error } = await this.#append(client, written, entered ? 'entered' : undefined)
    if (error === undefined) {
      database.giveBack(client, true)
      return this.#confirm(written)
    }
    if (isLoss(error)) return this.#lose(client, written, batch, error)
    const left = [...written]
    if (left.length > 1 && !isOutage(error)) {
      for (let one = left.shift(); one; one = left.shift()) {
        const alone = await this.#append(client, [one])
        if (alone.error === undefined) this.#confirm([one])
        else if (!isLoss(alone.error)) this.#reject([one], alone.error)
        else {
          await this.#lose(client, [one], alone.batch, alone.error)
          return this.#reject(left, lostConnection())
        }
      }
    }
    database.giveBack(client, true)
    this.#reject(left, error)
  }

  /** Appends and commits in one round trip. */
  async #append(client: Client, written: readonly WorldBatch[], state?: 'entered') {
    const batch = systemUuid()
    this.#options.database.stats.trips += 1
    return { batch, error: await appendAll(client, written, batch, state === 'entered') }
  }

  #confirm(written: readonly WorldBatch[]): void {
    const { database, replicas, ownership, onKept } = this.#options
    for (const each of written) {
      if (each.owner !== null && !each.isNew)
        ownership.took(each.name, each.owner, replicas.lookOf(each.name) - 1)
      each.keep()
    }
    database.meter?.batch(written.reduce((sum, { appended }) => sum + appended.length, 0))
    for (const { name, isNew, replica, appended } of written) {
      if (isNew) replicas.set(name, replica)
      for (const each of appended) replicas.tell(name, each)
      onKept(name)
    }
    for (const each of written) each.answer()
  }

  /** Undoes changes of which nothing was stored. */
  #reject(written: readonly WorldBatch[], error: unknown): void {
    const { ownership, putBack } = this.#options
    for (const each of written) {
      if (each.isOwn) ownership.lost(each.name)
      each.undo()
    }
    const refusal = this.#refusal(error)
    for (const each of written)
      if (isConflict(error)) putBack(each.name, each.repeatable(refusal))
      else each.refuse(refusal)
  }

  /** Finds the outcome of a commit whose response was lost. */
  async #lose(
    client: PoolClient,
    written: readonly WorldBatch[],
    batch: string,
    lost: unknown,
  ): Promise<void> {
    const { database, ownership } = this.#options
    database.giveBack(client, false)
    for (const each of written) {
      ownership.lost(each.name)
      each.undo()
    }
    const kept = await commitOutcome(database, written[0]!, batch).catch((error: unknown) => error)
    if (kept !== true) {
      const failure =
        kept === false
          ? new StoreUnavailable(
              'The connection to the database was lost and nothing was stored; send it again.',
              { cause: lost },
            )
          : kept
      for (const each of written) each.refuse(failure)
      return
    }
    // The changes are read from the log, like changes by another process.
    for (const { name } of written) await this.#catchUp(name).catch(() => {})
    for (const each of written) each.answer()
  }

  /** Returns the error for the callers of failed changes. */
  #refusal(error: unknown): unknown {
    if (error instanceof StoreUnavailable) return error
    if (isConflict(error))
      return new StoreUnavailable('Another process changed the rows at the same time; send it again.', {
        cause: error,
      })
    return this.#options.database.failureOf(error)
  }

  async #catchUp(name: string): Promise<void> {
    const { database, replicas } = this.#options
    const moment = replicas.nextMoment()
    const rows = await database.query<SinceRow>(changesSince, haveOf([name], replicas))
    await replicas.follow(name, rows, moment, (bytes) => readWorld(database, name, bytes))
  }
}

/** Attempts and the delay between them, milliseconds: long enough for a restart of the database. */
const TRIES = 25
const PAUSE = 200

/**
 * Returns whether changes were committed. A transaction that locked the world holds the lock until it ends, so getting the lock
 * means that it has ended. A single statement may not have begun yet: an empty change in its place makes it fail.
 * @throws {StoreUnavailable} If the database cannot be reached.
 */
async function commitOutcome(
  database: Database,
  { name, replica, isNew, isOwn, appended }: WorldBatch,
  batch: string,
): Promise<boolean> {
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      const client = await database.session()
      try {
        const { life, version } = replica
        const [, , found] = await Promise.all([
          client.query(BEGIN),
          client.query({ ...lockWaiting, values: [[name]] }),
          client.query({ ...batchOf, values: [name, life, appended[0]!.version] }),
          isOwn && client.query({ ...appendEmpty, values: [name, life, version, systemUuid()] }),
          client.query('commit'),
        ])
        database.giveBack(client, true)
        if (found.rows.length > 0 || !isNew) return found.rows[0]?.batch === batch
      } catch {
        database.giveBack(client, false)
      }
    } catch {}
    await pause(PAUSE)
  }
  throw new StoreUnavailable(
    'The connection to the database was lost during a commit, so its outcome is unknown.',
  )
}
