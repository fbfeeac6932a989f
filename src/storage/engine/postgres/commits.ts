import type { Client, PoolClient } from 'pg'
import { systemMonotonic, pause, type KeyedMutex } from '../../../lib/clock/clock.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import type { WorldOwnership } from './ownership.ts'
import { StoreUnavailable } from '../../store/change.ts'
import { appendAll, type Describe, type Wanted, WorldBatch } from './batch.ts'
import { BEGIN, type Database, type Statement, statement } from './database.ts'
import { isConflict, isLoss, isOutage, lostConnection, sendTogether } from './client.ts'
import { changesSince, grouped, haveOf, lockWaiting, type Replicas, type SinceRow } from './replicas.ts'
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
export function createCommits(options: CommitsOptions) {
  const { database, replicas, ownership, looking, describe, take, putBack, onKept } = options

  /** Makes and commits the changes of locked worlds. @throws an error that occurred before any change was made */
  async function make(
    client: PoolClient,
    names: readonly string[],
    rows: ReadonlyMap<string, readonly SinceRow[]>,
    moment: number,
  ): Promise<void> {
    const batches: WorldBatch[] = []
    try {
      for (const name of names) {
        const readWhole = (bytes: number) => readWorldIn(client, name, bytes)
        const seen = rows.get(name) ?? []
        const replica = await replicas.follow(name, seen, moment, readWhole)
        const owner = seen[0]?.leased === false ? ownership.ownerFor(name) : null
        batches.push(
          new WorldBatch(name, replica, systemUuid, describe, {
            held: seen[0]?.owner ?? null,
            owner,
            isOwn: false,
          }),
        )
      }
    } catch (error) {
      database.giveBack(client, false)
      throw refusalFor(error)
    }
    for (const batch of batches) batch.make(take(batch.name))
    await keep(client, batches)
  }

  /** Locks and reads in one round trip. Repeated once if the connection is lost, since nothing was changed. */
  async function enter(names: readonly string[], lock: Statement) {
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
        if (again || !isLoss(error)) throw refusalFor(error)
      }
    }
  }

  async function keep(client: PoolClient | undefined, all: readonly WorldBatch[]): Promise<void> {
    const { stats } = database
    const written = all.filter(({ appended }) => appended.length > 0)
    const others = all.filter(({ appended }) => appended.length === 0)
    if (written.length > 0) {
      stats.batches += 1
      for (const { appended } of written) stats.changes += appended.length
      await settle(client, written)
    } else if (client) {
      client.query('commit').catch(() => {})
      database.giveBack(client, true)
    }
    for (const each of others) each.keep()
    for (const each of others) each.answer()
  }

  /** Appends and commits. A rejected transaction is repeated world by world, so that one world does not affect others. */
  async function settle(entered: PoolClient | undefined, written: readonly WorldBatch[]): Promise<void> {
    const client = entered ?? (await database.session().catch((error: unknown) => reject(written, error)))
    if (!client) return
    const { batch, error } = await append(client, written, entered ? 'entered' : undefined)
    if (error === undefined) {
      database.giveBack(client, true)
      return confirm(written)
    }
    if (isLoss(error)) return lose(client, written, batch, error)
    const left = [...written]
    if (left.length > 1 && !isOutage(error)) {
      for (let one = left.shift(); one; one = left.shift()) {
        const alone = await append(client, [one])
        if (alone.error === undefined) confirm([one])
        else if (!isLoss(alone.error)) reject([one], alone.error)
        else {
          await lose(client, [one], alone.batch, alone.error)
          return reject(left, lostConnection())
        }
      }
    }
    database.giveBack(client, true)
    reject(left, error)
  }

  /** Appends and commits in one round trip. */
  async function append(client: Client, written: readonly WorldBatch[], state?: 'entered') {
    const batch = systemUuid()
    database.stats.trips += 1
    return { batch, error: await appendAll(client, written, batch, state === 'entered') }
  }

  function confirm(written: readonly WorldBatch[]): void {
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
  function reject(written: readonly WorldBatch[], error: unknown): void {
    for (const each of written) {
      if (each.isOwn) ownership.lost(each.name)
      each.undo()
    }
    const refusal = refusalFor(error)
    for (const each of written)
      if (isConflict(error)) putBack(each.name, each.repeatable(refusal))
      else each.refuse(refusal)
  }

  /** Finds the outcome of a commit whose response was lost. */
  async function lose(
    client: PoolClient,
    written: readonly WorldBatch[],
    batch: string,
    lost: unknown,
  ): Promise<void> {
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
    for (const { name } of written) await catchUp(name).catch(() => {})
    for (const each of written) each.answer()
  }

  /** Returns the error for the callers of failed changes. */
  function refusalFor(error: unknown): unknown {
    if (error instanceof StoreUnavailable) return error
    if (isConflict(error))
      return new StoreUnavailable('Another process changed the rows at the same time; send it again.', {
        cause: error,
      })
    return database.failureOf(error)
  }

  async function catchUp(name: string): Promise<void> {
    const moment = replicas.nextMoment()
    const rows = await database.query<SinceRow>(changesSince, haveOf([name], replicas))
    await replicas.follow(name, rows, moment, (bytes) => readWorld(database, name, bytes))
  }

  return {
    /** Makes the changes of worlds of this process. Returns those that are not its own by now. */
    async runOwn(names: readonly string[]): Promise<readonly string[]> {
      for (const name of names) await looking.acquire(name)
      try {
        const own = names.filter((name) => ownership.isCurrent(name))
        const owners = { held: ownership.id, owner: ownership.id, isOwn: true }
        const batches = own.map(
          (name) => new WorldBatch(name, replicas.get(name), systemUuid, describe, owners),
        )
        for (const batch of batches) batch.make(take(batch.name))
        await keep(undefined, batches)
        return names.filter((name) => !own.includes(name))
      } finally {
        for (const name of names) looking.release(name)
      }
    },
    /**
     * Makes the changes of these worlds. Returns the worlds that another process has locked or answers for.
     * @throws an error that occurred before any change was made
     */
    async run(names: readonly string[], lock: Statement): Promise<readonly string[]> {
      const { client, held, rows, moment } = await enter(names, lock)
      const isTaken = (name: string) => {
        const [row] = rows.get(name) ?? []
        return row?.owned === true && row.owner !== ownership.id
      }
      const left = names.filter((name) => rows.has(name) && (!held.has(name) || isTaken(name)))
      const free = names.filter((name) => !left.includes(name))
      // Acquired as late as possible: others may read the worlds until then.
      for (const name of free) await looking.acquire(name)
      try {
        await make(client, free, rows, moment)
      } finally {
        for (const name of free) looking.release(name)
      }
      return left
    },
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
