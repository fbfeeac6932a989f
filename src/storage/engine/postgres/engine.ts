import { repeat } from '../../../lib/clock/after.ts'
import { type OnError, surfaceError } from '../../../lib/listeners.ts'
import type { Engine } from '../engine.ts'
import {
  forgetProcesses,
  postgresAudit,
  postgresLocks,
  postgresMeasures,
  postgresProcesses,
  postgresSettings,
} from './shared-state.ts'
import { postgresCounters } from './counters.ts'
import { Database, type DatabaseOptions, statement } from './database.ts'
import { type PostgresDirectory, postgresDirectory, postgresRegistry } from './world-directory.ts'
import { postgresEventLog } from './event-log.ts'
import { postgresJobQueue } from './job-queue.ts'
import { forgetLives, postgresJournal } from './journal.ts'
import { migrate } from './migrations.ts'
import { createSignals, createWatchers, forgetSignals, forgetWatchers } from './signals.ts'
import { forgetRevoked, postgresSnapshots } from './snapshots.ts'
import { PostgresStore } from './store.ts'
import { requireOnly } from './shard-identity.ts'
import type { WorldOwnership } from './ownership.ts'

export { UnusableDatabase } from './database.ts'

export interface PostgresOptions extends DatabaseOptions {
  readonly onError?: OnError
  /** The clock for job ownership and rate limits; the database's by default. */
  readonly time?: 'database' | 'given'
  readonly auditEntries?: number
}

const SWEPT_EVERY = 60_000

/** What is deleted some time after its use. */
const FORGOTTEN = [forgetSignals, forgetWatchers, forgetProcesses, forgetRevoked, forgetLives]

/** An engine in one database, which may be one of several shards. */
export interface PostgresEngine extends Engine {
  readonly database: Database
  readonly store: PostgresStore
  readonly directory: PostgresDirectory
  readonly owners: WorldOwnership
  /** Closes a world that is not in this database any more, in this process. */
  leave(world: string): void
  /** The same in the other processes. */
  announceLeft(world: string): Promise<void>
}

/**
 * Opens an engine in PostgreSQL, which any number of processes may share.
 * @throws {UnusableDatabase} If the database cannot be reached, or is one of several.
 */
export async function openPostgresEngine(options: PostgresOptions): Promise<PostgresEngine> {
  const engine = await openDatabaseEngine(options)
  try {
    await requireOnly(engine.database)
  } catch (error) {
    await engine.close()
    throw error
  }
  return engine
}

/** @throws {UnusableDatabase} If the database cannot be reached. */
export async function openDatabaseEngine(options: PostgresOptions): Promise<PostgresEngine> {
  const { onError = surfaceError, time = 'database' } = options
  const database = await Database.open(options)
  const signals = createSignals(database)
  // It asks again if this fails.
  database.onFull = () => void signals.send('full', '').catch(() => {})
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const store = new PostgresStore(database, signals, onError)
  const { ownership, replicas } = store
  const journal = postgresJournal(database, store, onError)
  const watchers = createWatchers(database, replicas.node, onError)
  const events = postgresEventLog(store, watchers, database.clock.wall, onError)
  const snapshots = postgresSnapshots(database, replicas)
  const jobs = postgresJobQueue(database, signals, store, time)
  const counters = postgresCounters(database, time)
  const audit = postgresAudit(database, options.auditEntries)
  const settings = postgresSettings(database, onError)
  const processes = postgresProcesses(database)
  ownership.onLeft = (left) => journal.leave(left)
  const failed = (of: string) => (error: unknown) => onError(error, { of })
  store.onWorld((name, event) => {
    if (event !== 'created') journal.drop(name)
    if (event !== 'dropped') return
    ownership.lost(name)
    snapshots.forget(name)
    events.drop(name)
  })
  const worlds = postgresRegistry({
    database,
    store,
    announceDropped: (name) => signals.send('dropped', name),
    forget(name) {
      if (store.isInUse(name) || journal.isInUse(name)) return false
      ownership.leave([name])
      replicas.forget(name)
      journal.drop(name)
      snapshots.forget(name)
      events.drop(name)
      return true
    },
  })
  signals.listen(({ kind, world }) => {
    if (kind === 'dropped' && replicas.get(world)) store.follow(world).catch(failed('feed'))
    if (kind === 'full') database.yield()
  })
  const stopFeed = startFeed({
    database,
    store,
    interest: () => [...new Set([...events.heard(), ...jobs.claimed()])],
    also: [
      () => signals.hear(),
      () => journal.hear(),
      () => worlds.flush(),
      () => counters.tend(FED_EVERY),
      () => settings.look(),
      () => processes.tend(FED_EVERY),
    ],
    onError: failed('feed'),
  })
  const stopSweeping = repeat(SWEPT_EVERY, () => {
    Promise.all([
      counters.sweep(),
      audit.sweep(),
      ownership.sweep(),
      ...FORGOTTEN.map((each) => database.query(each, [])),
    ]).catch(failed('sweep'))
  })
  await settings.look()
  let closed: Promise<void> | undefined
  return {
    isRemote: true,
    database,
    leave: (world) => replicas.drop(world),
    announceLeft: (world) => signals.send('dropped', world),
    ...(time === 'database' && { wall: database.clock.wall }),
    worlds,
    directory: postgresDirectory(database, worlds, journal),
    store,
    owners: ownership,
    jobs,
    events,
    journal,
    snapshots,
    audit,
    counters,
    settings,
    processes,
    lock: postgresLocks(database),
    stats: database.stats,
    measures: postgresMeasures(database, () => store.replicas.takenOver),
    close: () =>
      (closed ??= (async () => {
        stopSweeping()
        await stopFeed()
        watchers.close()
        await store.close()
        const last = [journal.close(), worlds.flush(), counters.close(), processes.close(), ownership.close()]
        await Promise.all(last.map((flush) => flush.catch(failed('close'))))
        await database.close()
      })()),
  }
}

/** How often to read what other processes did, milliseconds. Reads and changes of a world check for themselves. */
const FED_EVERY = 200
const changedWorlds = statement`
  select w.name from unnest($1::text[], $2::text[], $3::bigint[]) as h(name, life, version)
    join worlds w on w.name = h.name where w.life <> h.life or w.version > h.version`

interface FeedOptions {
  readonly database: Database
  readonly store: PostgresStore
  /** The worlds that this process follows although no request reads them. */
  readonly interest: () => readonly string[]
  readonly also: readonly (() => Promise<void>)[]
  readonly onError: (error: unknown) => void
}

/** Follows other processes on behalf of schedulers and event streams. Returns a function that stops it. */
function startFeed({ database, store, interest, also, onError }: FeedOptions): () => Promise<void> {
  let looking: Promise<void> | undefined
  const look = async () => {
    const places = interest().flatMap((name) => {
      const place = store.ownership.isCurrent(name) ? undefined : store.replicas.get(name)
      return place ? [{ name, place }] : []
    })
    if (places.length > 0) {
      const values = [
        places.map(({ name }) => name),
        places.map(({ place }) => place.life),
        places.map(({ place }) => place.version),
      ]
      const behind = await database.query<{ name: string }>(changedWorlds, values)
      await Promise.all(behind.map(({ name }) => store.follow(name)))
    }
    for (const each of also) await each()
  }
  const stop = repeat(FED_EVERY, () => {
    // An outage is reported elsewhere, and this tries again.
    looking ??= look()
      .catch((error: unknown) => store.unavailable || onError(error))
      .then(() => (looking = undefined))
  })
  return async () => {
    stop()
    await looking
  }
}
