import { createHash } from 'node:crypto'
import { later } from '../../../lib/clock/clock.ts'
import { repeat } from '../../../lib/clock/after.ts'
import { type OnError, surfaceError } from '../../../lib/listeners.ts'
import { StoreUnavailable } from '../../store/change.ts'
import type { ShardState } from '../shared-state.ts'
import { statement, UnreachableDatabase, UnusableDatabase } from './database.ts'
import { openDatabaseEngine, type PostgresEngine, type PostgresOptions } from './engine.ts'
import { addToShards, identify, identifyHome, listed, type ShardIdentity } from './shard-identity.ts'
import { arrive } from './world-moves.ts'

export interface ShardsOptions extends Omit<PostgresOptions, 'url' | 'setting'> {
  /** The home database first. */
  readonly urls: readonly string[]
}

/** How often a database that was away at the start is tried, and interrupted moves are looked for, milliseconds. */
const RETRIED_EVERY = 2_000
const TIDIED_EVERY = 60_000

const whereIs = statement`
  select exists (select 1 from worlds where name = $1) as here, p.shard::text as shard, p.move::text as move
    from (select 1) one left join places p on p.world = $1`
const interrupted = statement`select world from arrivals where at < clock_timestamp() - interval '10 seconds'`

/**
 * Returns the shard to which a world's name leads: the one with the highest hash of both, so that a further shard takes over an
 * equal part of each. A name without a suffix is that of the default world, which is in the home database.
 */
export function leadsTo(world: string, ids: readonly string[]): string {
  if (!world.includes('+')) return ids[0]!
  const weightOf = (id: string) => createHash('sha256').update(`${id}\0${world}`).digest().readUIntBE(0, 6)
  return ids.reduce((best, id) => (weightOf(id) > weightOf(best) ? id : best))
}

/** The databases of a sandbox, and where its worlds are. */
export class Shards {
  readonly home: PostgresEngine
  readonly #known: readonly ShardIdentity[]
  readonly #engines = new Map<string, PostgresEngine>()
  /** Where the worlds are that this process has open. */
  readonly #places = new Map<string, PostgresEngine>()
  readonly #subscribers = new Set<(engine: PostgresEngine, number: number) => void>()
  readonly #onError: OnError
  readonly #stopTidying: () => void
  #stopRetrying: (() => void)[] = []
  #closed = false

  private constructor(
    known: readonly ShardIdentity[],
    engines: ReadonlyMap<ShardIdentity, PostgresEngine>,
    onError: OnError,
  ) {
    this.#known = known
    this.#onError = onError
    for (const [identity, engine] of engines) this.#attach(identity, engine)
    this.home = this.#engines.get(known[0]!.id)!
    this.#stopTidying = repeat(TIDIED_EVERY, () => void this.tidy())
  }

  /**
   * Opens the databases. The home database must be available; others that this sandbox has used before are opened later.
   * @throws {UnusableDatabase} If an address leads to a wrong database, or one is missing.
   */
  static async open({ urls, ...options }: ShardsOptions): Promise<Shards> {
    const open = (url: string, n: number) =>
      openDatabaseEngine({ ...options, url, setting: settingOf(n) }).then((engine) => {
        opened.push(engine)
        return engine
      })
    const opened: PostgresEngine[] = []
    try {
      const home = await open(urls[0]!, 0)
      const engines = new Map([[await identifyHome(home.database), home]])
      const away = new Map<string, number>()
      await Promise.all(
        urls.slice(1).map((url, n) =>
          open(url, n + 1).catch((error: unknown) => {
            if (!(error instanceof UnreachableDatabase)) throw error
            options.report?.('error', error.message)
            away.set(url, n + 1)
          }),
        ),
      )
      const known = await assign(engines, opened.slice(1), away.size)
      const shards = new Shards(known, engines, options.onError ?? surfaceError)
      for (const [url, n] of away) shards.#retry(() => open(url, n), options.report)
      void shards.tidy()
      return shards
    } catch (error) {
      await Promise.all(opened.map((engine) => engine.close()))
      throw error
    }
  }

  /** The databases that were reached, the home database first. */
  get engines(): readonly PostgresEngine[] {
    return this.#known.flatMap(({ id }) => this.#engines.get(id) ?? [])
  }

  get states(): readonly (ShardState & { readonly engine: PostgresEngine | undefined })[] {
    return this.#known.map(({ id, number }) => {
      const engine = this.#engines.get(id)
      const reason = engine ? engine.store.unavailable?.message : notReached(number)
      return { shard: number, engine, reason }
    })
  }

  /** Calls `subscribe` for each database, now or once it is reached. Returns a function that calls what it returned. */
  each(subscribe: (engine: PostgresEngine, number: number) => (() => void) | void): () => void {
    const stops: ((() => void) | void)[] = []
    const subscriber = (engine: PostgresEngine, number: number) => void stops.push(subscribe(engine, number))
    this.#subscribers.add(subscriber)
    for (const { engine, shard } of this.states) if (engine) subscriber(engine, shard)
    return () => {
      this.#subscribers.delete(subscriber)
      for (const stop of stops) stop?.()
    }
  }

  /** Asks the available databases. */
  async ask<T>(work: (engine: PostgresEngine) => T | Promise<T>): Promise<T[]> {
    const answers = await Promise.all(
      this.engines.map(async (engine) => {
        try {
          return [await work(engine)]
        } catch (error) {
          if (engine.store.unavailable) return []
          throw error
        }
      }),
    )
    return answers.flat(1) as T[]
  }

  requireAll(): void {
    const reason = this.states.find((each) => each.reason !== undefined)?.reason
    if (reason !== undefined) throw new StoreUnavailable(reason)
  }

  /** Returns the database of an open world, or the one to which its name leads. @throws {StoreUnavailable} If that is away. */
  of(world: string): PostgresEngine {
    return this.#places.get(world) ?? this.#engine(leadsTo(world, this.#ids))
  }

  /** Runs work with the database of a world. */
  via<T>(world: string, work: (engine: PostgresEngine) => T | Promise<T>): T | Promise<T> {
    const engine = this.#places.get(world)
    return engine ? work(engine) : this.find(world).then(work)
  }

  open(world: string): PostgresEngine | undefined {
    return this.#places.get(world)
  }

  /** Notes where an open world is. What this process has of it from elsewhere is closed. */
  note(world: string, engine: PostgresEngine): void {
    const before = this.#places.get(world)
    this.#places.set(world, engine)
    if (before !== engine) before?.leave(world)
  }

  forget(world: string, engine: PostgresEngine): void {
    if (this.#places.get(world) === engine) this.#places.delete(world)
  }

  /** Looks for a world, and completes an interrupted move. Returns where it is or would be. */
  async find(world: string): Promise<PostgresEngine> {
    let id = leadsTo(world, this.#ids)
    let move: string | null = null
    // A world that is moved meanwhile is followed.
    for (let hops = 0; hops <= 2 * this.#known.length; hops += 1) {
      const engine = this.#engine(id)
      if (move !== null) await engine.database.query(arrive, [world, move])
      const [row] = await engine.database.query<{ here: boolean; shard: string | null; move: string | null }>(
        whereIs,
        [world],
      )
      if (row!.here || row!.shard === null) return engine
      id = row!.shard
      move = row!.move
    }
    throw new StoreUnavailable(`The world ${world} is being moved; send it again.`)
  }

  /** Returns the shard with a number. @throws {UnusableDatabase} If there is none, or it is away. */
  numbered(number: number): { readonly id: string; readonly engine: PostgresEngine } {
    const found = this.#known.find((each) => each.number === number)
    if (!found)
      throw new UnusableDatabase(
        `There is no shard ${number}. Pass one of ${this.#known.map((each) => each.number).join(', ')}.`,
      )
    return { id: found.id, engine: this.#engine(found.id) }
  }

  /** Completes interrupted moves, so that jobs of their worlds run. */
  async tidy(): Promise<void> {
    await this.ask(async ({ database }) => {
      const worlds = await database.query<{ world: string }>(interrupted, [])
      await Promise.all(worlds.map(({ world }) => this.find(world)))
    }).catch((error: unknown) => error instanceof StoreUnavailable || this.#onError(error, { of: 'moves' }))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopTidying()
    for (const stop of this.#stopRetrying) stop()
    // The others may still need the home database.
    await Promise.all(this.engines.slice(1).map((engine) => engine.close()))
    await this.home.close()
  }

  get #ids(): readonly string[] {
    return this.#known.map(({ id }) => id)
  }

  #engine(id: string): PostgresEngine {
    const engine = this.#engines.get(id)
    if (engine) return engine
    throw new StoreUnavailable(notReached(this.#known.find((each) => each.id === id)?.number))
  }

  #attach({ id, number }: ShardIdentity, engine: PostgresEngine): void {
    engine.database.label = `database of shard ${number}`
    this.#engines.set(id, engine)
    for (const subscriber of this.#subscribers) subscriber(engine, number)
  }

  /** Tries to reach a database that was away at the start, until it is there. */
  #retry(open: () => Promise<PostgresEngine>, report: ShardsOptions['report']): void {
    let said = ''
    const attempt = async () => {
      const engine = await open()
      const left = this.#known.filter(({ id }) => !this.#engines.has(id))
      const identity = this.#closed ? undefined : await identify(engine.database, this.#known[0]!, left)
      if (!identity) {
        await engine.close()
        if (this.#closed) return
        throw new UnusableDatabase(
          `${engine.database.setting} does not lead to the database that is missing.`,
        )
      }
      this.#attach(identity, engine)
      report?.('warn', `The ${engine.database.label} was reached.`)
      engine.database.recovered()
    }
    const again = () => {
      const stop = later(RETRIED_EVERY, () => {
        this.#stopRetrying = this.#stopRetrying.filter((each) => each !== stop)
        attempt().catch((error: unknown) => {
          const { message } = error as Error
          if (!(error instanceof UnreachableDatabase) && message !== said) report?.('error', message)
          said = message
          if (!this.#closed) again()
        })
      })
      this.#stopRetrying.push(stop)
    }
    again()
  }
}

const settingOf = (n: number) => `SANDBOX_DATABASE_URLS (address ${n + 1})`
const notReached = (number: number | undefined) =>
  `The database of shard ${number ?? 'an unknown number'} has not been reached since this process started.`

/**
 * Assigns the databases to the shards, and adds new ones.
 * @param shards - Contains the home database; the others are added.
 * @param away - How many addresses lead to no database now.
 * @returns all shards, by number
 */
async function assign(
  shards: Map<ShardIdentity, PostgresEngine>,
  others: readonly PostgresEngine[],
  away: number,
): Promise<readonly ShardIdentity[]> {
  const [[own, home]] = [...shards] as [[ShardIdentity, PostgresEngine]]
  const known = await listed(home.database)
  const add = (identity: ShardIdentity, engine: PostgresEngine) => {
    const [, twice] = [...shards].find(([{ id }]) => id === identity.id) ?? []
    if (twice)
      throw new UnusableDatabase(
        `${engine.database.setting} leads to the same database as ${twice.database.setting}. Remove one.`,
      )
    shards.set(identity, engine)
  }
  const strange: PostgresEngine[] = []
  for (const engine of others) {
    const identity = await identify(engine.database, own, known)
    if (identity) add(identity, engine)
    else strange.push(engine)
  }
  const missing = known.filter(({ id }) => ![...shards.keys()].some((each) => each.id === id))
  const numbers = missing.map(({ number }) => number).join(', ')
  if (missing.length > away)
    throw new UnusableDatabase(
      `SANDBOX_DATABASE_URLS lacks the address of shard ${numbers} of ${known.length}, whose worlds would seem to be gone. Add it.`,
    )
  if (missing.length < away || (away > 0 && strange.length > 0))
    throw new UnusableDatabase(
      'SANDBOX_DATABASE_URLS has a new address, and one that cannot be reached. Add a database when all others can be reached.',
    )
  for (const engine of strange) {
    const databases = new Map([...shards].map(([identity, { database }]) => [identity, database]))
    await addToShards(engine.database, databases, leadsTo)
    add((await identify(engine.database, own, await listed(home.database)))!, engine)
  }
  return listed(home.database)
}
