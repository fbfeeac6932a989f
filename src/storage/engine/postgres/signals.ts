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
export const forgetSignals = statement`delete from signals where at < statement_timestamp() - interval '1 minute'`

export type Kind = 'dropped' | 'free' | 'full' | 'requested' | 'wake' | 'wanted'

export interface Signal {
  readonly kind: Kind
  readonly world: string
}

export type Signals = ReturnType<typeof createSignals>

/** Messages between processes, so that they need not wait for their next poll. */
export function createSignals(database: Database) {
  const own = systemUuid()
  const listeners = new Set<(signal: Signal) => void>()
  let heard = new Set<string>()

  return {
    listen(listener: (signal: Signal) => void): void {
      listeners.add(listener)
    },
    async send(kind: Kind, world: string): Promise<void> {
      await database.query(sendSignal, [systemUuid(), kind, world, own])
    },
    /** Passes on the messages of other processes, once each. */
    async hear(): Promise<void> {
      const rows = await database.query<Signal & { id: string; node: string }>(recentSignals, [])
      const before = heard
      heard = new Set(rows.map(({ id }) => id))
      for (const { id, node, kind, world } of rows)
        if (node !== own && !before.has(id)) for (const listener of listeners) listener({ kind, world })
    },
  }
}

/** How often a process repeats that someone watches, milliseconds; it counts three times as long. */
const SAID_EVERY = 5_000

const putWatchers = statement`
  insert into watchers(world, node, until) select name, $2, clock_timestamp() + interval '15 seconds' from unnest($1::text[]) as w(name)
  on conflict (world, node) do update set until = excluded.until`
const removeWatcher = statement`delete from watchers where world = $1 and node = $2`
export const forgetWatchers = statement`delete from watchers where until < clock_timestamp()`

export type Watchers = ReturnType<typeof createWatchers>

/** Watchers of phones on this process. Other processes see them with each read of a world. */
export function createWatchers(database: Database, node: string, onError: OnError) {
  const counts = new Map<string, number>()
  let stop: (() => void) | undefined
  /** Without a database, this is repeated later, and what was not removed expires. */
  const failed = (error: unknown): void => {
    if (!database.unavailable) onError(error, { of: 'watchers' })
  }

  function leave(world: string): void {
    const left = counts.get(world)! - 1
    if (left > 0) return void counts.set(world, left)
    counts.delete(world)
    database.query(removeWatcher, [world, node]).catch(failed)
    if (counts.size > 0) return
    stop?.()
    stop = undefined
  }

  async function say(worlds: readonly string[]): Promise<void> {
    await database.query(putWatchers, [worlds, node])
  }

  return {
    has: (world: string): boolean => counts.has(world),
    add(world: string): Watcher {
      const before = counts.get(world) ?? 0
      counts.set(world, before + 1)
      stop ??= repeat(SAID_EVERY, () => void say([...counts.keys()]).catch(failed))
      return { known: before === 0 ? say([world]) : undefined, leave: () => leave(world) }
    },
    close(): void {
      stop?.()
    },
  }
}
