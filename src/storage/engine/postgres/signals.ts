import { systemUuid } from '../../../lib/random/random.ts'
import { type Database, statement } from './database.ts'
import { repeat } from '../../../lib/clock/after.ts'
import type { OnError } from '../../../lib/listeners.ts'
import type { Watcher } from '../event-log.ts'

const sendSignal = statement`
  insert into signals(id, kind, world, node) values ($1, $2, $3, $4) on conflict (id) do nothing`
const recentSignals = statement`
  select id::text as id, kind, world, node from signals
   where at > statement_timestamp() - interval '3 seconds' order by at`
const forgetSignals = statement`delete from signals where at < statement_timestamp() - interval '1 minute'`

export type Kind = 'dropped' | 'free' | 'full' | 'requested' | 'wake' | 'wanted'

export interface Signal {
  readonly kind: Kind
  readonly world: string
}

/** Messages between processes, so that they need not wait for their next poll. */
export class Signals {
  readonly #database: Database
  readonly #node = systemUuid()
  readonly #listeners = new Set<(signal: Signal) => void>()
  #heard = new Set<string>()

  constructor(database: Database) {
    this.#database = database
  }

  listen(listener: (signal: Signal) => void): void {
    this.#listeners.add(listener)
  }

  async send(kind: Kind, world: string): Promise<void> {
    await this.#database.query(sendSignal, [systemUuid(), kind, world, this.#node])
  }

  /** Passes on the messages of other processes, once each. */
  async hear(): Promise<void> {
    const rows = await this.#database.query<Signal & { id: string; node: string }>(recentSignals, [])
    const before = this.#heard
    this.#heard = new Set(rows.map(({ id }) => id))
    for (const { id, node, kind, world } of rows)
      if (node !== this.#node && !before.has(id))
        for (const listener of this.#listeners) listener({ kind, world })
  }

  async sweep(): Promise<void> {
    await this.#database.query(forgetSignals, [])
  }
}

/** How often a process repeats that someone watches, milliseconds; it counts three times as long. */
const SAID_EVERY = 5_000

const putWatchers = statement`
  insert into watchers(world, node, until) select name, $2, clock_timestamp() + interval '15 seconds' from unnest($1::text[]) as w(name)
  on conflict (world, node) do update set until = excluded.until`
const removeWatcher = statement`delete from watchers where world = $1 and node = $2`
const forgetWatchers = statement`delete from watchers where until < clock_timestamp()`

/** Watchers of phones on this process. Other processes see them with each read of a world. */
export class Watchers {
  readonly #database: Database
  readonly #onError: OnError
  readonly #node: string
  readonly #counts = new Map<string, number>()
  #stop: (() => void) | undefined

  constructor(database: Database, node: string, onError: OnError) {
    this.#database = database
    this.#node = node
    this.#onError = onError
  }

  has(world: string): boolean {
    return this.#counts.has(world)
  }

  add(world: string): Watcher {
    const before = this.#counts.get(world) ?? 0
    this.#counts.set(world, before + 1)
    this.#stop ??= repeat(SAID_EVERY, () => void this.#say([...this.#counts.keys()]).catch(this.#failed))
    return { known: before === 0 ? this.#say([world]) : undefined, leave: () => this.#leave(world) }
  }

  /** Deletes watchers of processes that died. */
  async sweep(): Promise<void> {
    await this.#database.query(forgetWatchers, [])
  }

  close(): void {
    this.#stop?.()
  }

  #leave(world: string): void {
    const left = this.#counts.get(world)! - 1
    if (left > 0) return void this.#counts.set(world, left)
    this.#counts.delete(world)
    this.#database.query(removeWatcher, [world, this.#node]).catch(this.#failed)
    if (this.#counts.size > 0) return
    this.#stop?.()
    this.#stop = undefined
  }

  async #say(worlds: readonly string[]): Promise<void> {
    await this.#database.query(putWatchers, [worlds, this.#node])
  }

  /** Without a database, this is repeated later, and what was not removed expires. */
  readonly #failed = (error: unknown): void => {
    if (!this.#database.unavailable) this.#onError(error, { of: 'watchers' })
  }
}
