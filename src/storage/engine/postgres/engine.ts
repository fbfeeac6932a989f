import { repeat } from '../../../lib/clock/repeat.ts'
import { type OnError, surfaceError } from '../../../lib/listeners.ts'
import type { Engine } from '../engine.ts'
import { PostgresAudit } from './audit.ts'
import { PostgresCounters } from './counters.ts'
import { Database, type DatabaseOptions, statement } from './database.ts'
import { postgresDirectory, PostgresRegistry } from './world-directory.ts'
import { PostgresEventLog } from './event-log.ts'
import { PostgresJobQueue } from './job-queue.ts'
import { forgetLives, PostgresJournal } from './journal.ts'
import { postgresLocks, postgresMeasures, PostgresProcesses, PostgresSettings } from './shared-state.ts'
import { migrate } from './migrations.ts'
import { Signals, Watchers } from './signals.ts'
import { PostgresSnapshots } from './snapshots.ts'
import { PostgresStore } from './store.ts'

export { UnusableDatabase } from './database.ts'

export interface PostgresOptions extends DatabaseOptions {
  readonly onError?: OnError
  /** The clock for job ownership and rate limits; the database's by default. */
  readonly time?: 'database' | 'given'
  readonly auditEntries?: number
}

const SWEPT_EVERY = 60_000

const dropOwner = statement('drop_owner', 'delete from job_owners where world = $1')
const dropInvites = statement('drop_invites', 'delete from invites where world = $1')
const dropUsed = statement('drop_used', 'delete from used where world = $1')

/**
 * Opens an engine in PostgreSQL, which any number of processes may share.
 * @throws {UnusableDatabase} If the database cannot be reached.
 */
export async function openPostgresEngine(options: PostgresOptions): Promise<Engine> {
  const { onError = surfaceError, time = 'database' } = options
  const database = await Database.open(options)
  const signals = new Signals(database)
  // It asks again if this fails.
  database.onFull = () => void signals.send('full', '').catch(() => {})
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const store = new PostgresStore(database, onError)
  const journal = new PostgresJournal(database, store, onError)
  const watchers = new Watchers(database, store.replicas.node, onError)
  const events = new PostgresEventLog(store, watchers, database.clock.wall, onError)
  const snapshots = new PostgresSnapshots(database)
  const jobs = new PostgresJobQueue(database, signals, store.replicas, time)
  const counters = new PostgresCounters(database, time)
  const audit = new PostgresAudit(database, options.auditEntries)
  const settings = new PostgresSettings(database, onError)
  const processes = new PostgresProcesses(database)
  const failed = (of: string) => (error: unknown) => onError(error, { of })
  store.onWorld((name, event) => {
    if (event !== 'created') journal.drop(name)
    if (event !== 'dropped') return
    snapshots.forget(name)
    events.drop(name)
  })
  const worlds = new PostgresRegistry({
    database,
    store,
    async dropAlso(name) {
      await snapshots.drop(name)
      for (const each of [dropOwner, dropUsed, dropInvites]) await database.query(each, [name])
      await signals.send('dropped', name)
    },
    forget(name) {
      if (store.isInUse(name) || journal.isInUse(name)) return false
      store.replicas.forget(name)
      journal.drop(name)
      snapshots.forget(name)
      events.drop(name)
      return true
    },
  })
  signals.listen(({ kind, world }) => {
    if (kind === 'dropped' && store.replicas.get(world)) store.follow(world).catch(failed('feed'))
    if (kind === 'full') database.yield()
  })
  const stopFeed = startFeed({
    database,
    store,
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
      signals.sweep(),
      counters.sweep(),
      audit.sweep(),
      processes.sweep(),
      watchers.sweep(),
      snapshots.sweep(),
      database.query(forgetLives, []),
    ]).catch(failed('sweep'))
  })
  await settings.look()
  let closed: Promise<void> | undefined
  return {
    isRemote: true,
    ...(time === 'database' && { wall: database.clock.wall }),
    worlds,
    directory: postgresDirectory(database, worlds, journal),
    store,
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
        const last = [journal.flush(), worlds.flush(), counters.close(), processes.close()]
        await Promise.all(last.map((flush) => flush.catch(failed('close'))))
        await database.close()
      })()),
  }
}

/** How often to read what other processes did, milliseconds. Reads and changes of a world check for themselves. */
const FED_EVERY = 200
/** Looks back 3 seconds: a slow commit may have become visible only now. */
const touched = statement(
  'touched',
  `select name, life, version from worlds where touched > statement_timestamp() - interval '3 seconds'`,
)

interface FeedOptions {
  readonly database: Database
  readonly store: PostgresStore
  readonly also: readonly (() => Promise<void>)[]
  readonly onError: (error: unknown) => void
}

/** Follows other processes on behalf of schedulers and event streams. Returns a function that stops it. */
function startFeed({ database, store, also, onError }: FeedOptions): () => Promise<void> {
  let looking: Promise<void> | undefined
  const look = async () => {
    const rows = await database.query<{ name: string; life: string; version: number }>(touched, [])
    // Only worlds that this process has in memory.
    const behind = rows.filter(({ name, life, version }) => {
      const place = store.replicas.get(name)
      return place && (place.life !== life || place.version < version)
    })
    await Promise.all(behind.map(({ name }) => store.follow(name)))
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
