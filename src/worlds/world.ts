import type { Clock } from '../clock.ts'
import type { Look, Settings, Tx } from '../domain/context.ts'
import { ServiceError } from '../domain/errors.ts'
import type { Random } from '../random.ts'
import { createRandom } from '../random.ts'
import type { ApiKeyRow } from '../store/rows.ts'
import type { Store, WorldRows, Written } from '../store/store.ts'
import { Events } from './events.ts'
import { Journal } from './journal.ts'
import { SETTINGS, lifeIn, originIn, stateIn, type Origin } from './origin.ts'
import { changedSettings, mergeChanges, type SettingsChange } from './settings.ts'
import { Snapshots } from './snapshots.ts'

/** One isolated world: everything a caller can see or change, with its own time and chance. */
export interface World {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly settings: Settings
  readonly journal: Journal
  /** Kept over resets. */
  readonly events: Events
  /** Kept over resets. */
  readonly snapshots: Snapshots
  /** How it began, when it was made on request. */
  readonly origin: Origin | undefined
  /** Tells it from an earlier world of its name; undefined for the first. Kept over resets. */
  readonly life: string | undefined
  /** The API keys that were asked for since one of them changed, by username; none that is revoked. */
  readonly keys: Map<string, ApiKeyRow>
  /** When it was last called, milliseconds on the wall. */
  used_at: number
  /** True once it was reset, replaced or dropped: whoever still holds it is refused. */
  readonly closed: boolean
  /** Calls `listener` after each change of this world that wrote, when it is kept. Returns how to stop. */
  onCommit(listener: (written: readonly Written[]) => void): () => void
  /** Calls `listener` with the refusal when waiting in this world has no more sense. Returns how to stop. */
  onEnd(listener: (refusal: ServiceError) => void): () => void
  /** Runs `work` alone in this world; keeps all of what it wrote, or nothing when it throws. */
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` on rows that no change touches meanwhile. */
  read<T>(work: (look: Look) => Promise<T>): Promise<T>
  /** Changes settings of this world, at once and over restarts. @throws ServiceError for a value refused */
  configure(change: SettingsChange): Promise<void>
  /** Tells whoever waits in this world, with what he is refused. */
  endWaiting(why: string): void
  /** The same, and from now on everyone who still holds this world is refused likewise. */
  close(why: string): void
  /** Takes `close` back: what it was closed for did not come about. */
  reopen(): void
}

export interface WorldOptions {
  readonly name: string
  readonly store: Store
  readonly clock: Clock
  /** What chance is drawn from, together with the world's name. */
  readonly seed: string
  /** The settings of the process; another object once they have changed. */
  readonly settings: () => Settings
  /** How many requests it remembers; 1,000 when left out. */
  readonly journalSize?: number
  /** The rows it has when it is opened. */
  readonly rows?: WorldRows
  /** What stays when a world is opened anew in the place of another. */
  readonly kept?: Pick<World, 'events' | 'snapshots'> | undefined
}

const JOURNAL_SIZE = 1_000

export function createWorld(options: WorldOptions): World {
  const { name, store, clock, rows = {} } = options
  const random = createRandom(`${options.seed}\0${name}`)
  let changed = stateIn<SettingsChange>(rows, SETTINGS)
  let defaults = options.settings()
  let settings = changedSettings(defaults, changed)
  const currentSettings = () => {
    if (defaults !== options.settings()) settings = changedSettings((defaults = options.settings()), changed)
    return settings
  }
  let closed: string | undefined
  const waiting = new Set<(refusal: ServiceError) => void>()
  const refusal = (why: string) => new ServiceError('unavailable', why)
  const requireOpen = () => {
    if (closed !== undefined) throw refusal(closed)
  }
  const world: World = {
    name,
    clock,
    random,
    get settings() {
      return currentSettings()
    },
    journal: new Journal(options.journalSize ?? JOURNAL_SIZE),
    events: options.kept?.events ?? new Events(clock.wall().toString(36)),
    snapshots: options.kept?.snapshots ?? new Snapshots(),
    origin: originIn(rows),
    life: lifeIn(rows),
    keys: new Map(),
    used_at: clock.wall(),
    get closed() {
      return closed !== undefined
    },
    onCommit: (listener) =>
      store.onCommit((world, written) => {
        if (world === name) listener(written)
      }),
    onEnd(listener) {
      waiting.add(listener)
      if (closed !== undefined) listener(refusal(closed))
      return () => void waiting.delete(listener)
    },
    change: (work) =>
      store.change(name, (rows) => {
        requireOpen()
        return work({ rows, now: clock.now(), random, settings: currentSettings() })
      }),
    read: (work) =>
      store.read(name, (rows) => {
        requireOpen()
        return work({ rows, now: clock.now(), settings: currentSettings() })
      }),
    async configure(change) {
      const merged = mergeChanges(changed, change)
      const next = changedSettings(options.settings(), merged)
      await world.change((tx) => tx.rows.put('state', { name: SETTINGS, value: merged }))
      changed = merged
      settings = next
    },
    endWaiting(why) {
      for (const listener of waiting) listener(refusal(why))
    },
    close(why) {
      closed = why
      world.endWaiting(why)
    },
    reopen: () => void (closed = undefined),
  }
  return world
}
