import { type Clock, type ClockState, createClock } from '../lib/clock/clock.ts'
import type { Look, Settings, Tx } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import type { EventLog } from '../storage/engine/event-log.ts'
import { MemoryEventLog } from '../storage/engine/memory/event-log.ts'
import type { JournalStore } from '../storage/engine/journal.ts'
import { MemoryJournal } from '../storage/engine/memory/journal.ts'
import { MemorySnapshots } from '../storage/engine/memory/snapshots.ts'
import type { SnapshotStore } from '../storage/engine/snapshots.ts'
import { type OnError, Listeners, surfaceError } from '../lib/listeners.ts'
import { type Random, createRandom } from '../lib/random/random.ts'
import type { ApiKeyRow, StateRow } from '../storage/store/rows.ts'
import type { Moment, Synchronous, RowChange, Store, View, WorldRows } from '../storage/store/store.ts'
import { Budget, type Limits, noLimits, type OnSpent, type Rates, type Spending } from './budget.ts'
import { Events, eventsOfRows } from './events.ts'
import { Journal } from './journal.ts'
import {
  changedSettings,
  CLOCK_STATE,
  mergeChanges,
  SETTINGS,
  type SettingsChange,
  WorldState,
  type WorldTemplate,
} from './settings.ts'
import { snapshotsOf, type WorldSnapshots } from './snapshots.ts'

export interface WorldOptions {
  readonly name: string
  readonly store: Store
  /** Where its snapshots are; with nobody else's when left out. */
  readonly snapshots?: SnapshotStore
  /** Where what happens in it is told; to nobody else when left out. */
  readonly events?: EventLog
  /** Where its last requests are; with nobody else's when left out. */
  readonly journal?: JournalStore
  readonly clock: Clock
  /** What chance is drawn from, together with the world's name. */
  readonly seed: string
  /** What its secrets are drawn from, together with the world's name; the seed when left out. */
  readonly secret?: string | undefined
  /** The settings of the process; another object once they have changed. */
  readonly settings: () => Settings
  /** Its number, where it is not opened in the place of another; 1 when left out. */
  readonly number?: number
  /** How many requests it remembers; 1,000 when left out. */
  readonly journalSize?: number
  /** The rows it has when it is opened. */
  readonly rows?: WorldRows
  /** Takes what listeners throw. */
  readonly onError?: OnError | undefined
  /** What stays when a world is opened anew in the place of another. */
  readonly kept?: Pick<World, 'number' | 'events' | 'budget'> | undefined
  /** Without limits when left out. */
  readonly limits?: Limits
  /** What counts its rates; nobody else when left out. */
  readonly rates?: Rates
  /** Told when a world has spent much of its budget. */
  readonly onSpent?: (world: string, ...spent: Parameters<OnSpent>) => void
}

const JOURNAL_SIZE = 1_000
/** The use of a key is noted at most once in so many milliseconds. */
const NOTED_EVERY = 60_000

/** One isolated world: everything a caller can see or change, with its own time and chance. */
export class World {
  readonly name: string
  /** Counts the worlds of the process in the order in which they came to be. Kept over resets. */
  readonly number: number
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal
  /** Kept over resets. */
  readonly events: Events
  readonly snapshots: WorldSnapshots
  /** What it may take of the process; kept over resets. */
  readonly budget: Budget
  /** When it was last called, milliseconds on the wall. */
  used_at: number
  /** Requests that are under way here. */
  underWay = 0
  #keys: Map<string, ApiKeyRow> | undefined
  /** By key, when its use was noted last. */
  #noted: Map<string, number> | undefined
  readonly #store: Store
  readonly #defaults: () => Settings
  readonly #state: WorldState
  readonly #waiting: Listeners<[refusal: ServiceError]>
  readonly #commits: Listeners<[written: readonly RowChange[]]>
  #closed: string | undefined

  constructor(options: WorldOptions) {
    const { name, store, clock, kept, rows = {}, limits = noLimits } = options
    // What the functions below need of the options by itself, so that they do not keep all of them.
    const { onError: report = surfaceError, onSpent } = options
    const onError: OnError = (error, about) => report(error, { world: name, ...about })
    // Events keep the requests that the journal keeps, and rows that were replaced: each has half.
    const bytes = limits.journal / 2
    this.name = name
    this.number = kept?.number ?? options.number ?? 1
    this.clock = clock
    const { events: log = new MemoryEventLog() } = options
    this.random = createRandom(`${options.seed}\0${name}`, `${options.secret ?? options.seed}\0${name}`)
    const record = (options.journal ?? new MemoryJournal()).open(name, {
      requests: options.journalSize ?? JOURNAL_SIZE,
      bytes,
    })
    this.journal = new Journal(record, onError)
    this.events =
      kept?.events ??
      new Events(
        log.open(name, { life: clock.wall().toString(36), mostBytes: bytes, ofRows: eventsOfRows }),
        onError,
      )
    this.events.goBy((written) => timeAfter(clock, written))
    this.snapshots = snapshotsOf(options.snapshots ?? new MemorySnapshots(), name)
    this.budget =
      kept?.budget ??
      new Budget(limits, clock.wall, (...spent) => onSpent?.(name, ...spent), options.rates, name)
    this.used_at = clock.wall()
    this.#store = store
    this.#defaults = options.settings
    this.#state = new WorldState(clock, options.settings, rows)
    this.#waiting = new Listeners<[refusal: ServiceError]>((error) =>
      onError(error, { of: 'end of waiting' }),
    )
    this.#commits = new Listeners<[written: readonly RowChange[]]>((error) =>
      onError(error, { of: 'commit' }),
    )
  }

  /** Whether it is to be noted that a key was used: once a minute. @param now milliseconds on the wall */
  notesKey(username: string, now: number): boolean {
    const noted = (this.#noted ??= new Map<string, number>())
    if (now - (noted.get(username) ?? -Infinity) < NOTED_EVERY) return false
    noted.set(username, now)
    return true
  }

  /** The API keys that were asked for since one of them changed, by username; none that is revoked. */
  get keys(): Map<string, ApiKeyRow> {
    return (this.#keys ??= new Map())
  }

  get settings(): Settings {
    return this.#state.settings
  }

  /** What its rows take, bytes. */
  get bytes(): number {
    return this.#store.bytes(this.name)
  }

  /** What of that the messages of its inboxes take, which strangers may write. */
  get inboxBytes(): number {
    return this.#store.inboxBytes(this.name)
  }

  /** As `Store.version`. */
  get version(): number {
    return this.#store.version(this.name)
  }

  /** How it began, when it was made on request. */
  get template(): WorldTemplate | undefined {
    return this.#state.template
  }

  /** Tells it from an earlier world of its name; undefined for the first. Kept over resets. */
  get life(): string | undefined {
    return this.#state.life
  }

  /** Whether somebody here has it for more than a look: a request, a stream, somebody who waits. */
  get isInUse(): boolean {
    const { budget, events } = this
    const atOnce = budget.atOnce('bodies') + budget.atOnce('waiters') + budget.atOnce('streams')
    return this.underWay + atOnce + events.listeners + this.#waiting.size + this.#commits.size > 0
  }

  /** True once it was reset, replaced or dropped: whoever still holds it is refused. */
  get closed(): boolean {
    return this.#closed !== undefined
  }

  /** Calls `listener` after each change of this world that wrote, when it is kept. Returns how to stop. */
  onCommit(listener: (written: readonly RowChange[]) => void): () => void {
    return this.#commits.add(listener)
  }

  /** Calls these listeners. */
  committed(written: readonly RowChange[]): void {
    for (const { table, row } of written) if (table === 'state' && row) this.#state.written(row as StateRow)
    this.#commits.tell(written)
  }

  /** Calls `listener` with the refusal when waiting in this world has no more sense. Returns how to stop. */
  onEnd(listener: (refusal: ServiceError) => void): () => void {
    const stop = this.#waiting.add(listener)
    if (this.#closed !== undefined) listener(refusal(this.#closed))
    return stop
  }

  /** Runs `work` alone in this world; keeps all of what it wrote, or nothing when it throws. */
  change<T>(work: (tx: Tx) => T & Synchronous<T>): Promise<T> {
    return this.#store.change(this.name, (rows) => work(this.#look(rows)))
  }

  /** Runs `work`, which no change can interrupt. @param since as `Store.read` takes it */
  read<T>(work: (look: Look) => T & Synchronous<T>, since?: Moment): Promise<T> {
    return this.#store.read(this.name, (rows) => work(this.#look(rows)), since)
  }

  /** The same for work that is too long for one turn of the event loop: changes and other reads wait until it has ended. */
  readInSlices<T>(work: (look: Look) => Promise<T>): Promise<T> {
    return this.#store.readInSlices(this.name, (rows) => work(this.#look(rows)))
  }

  /** Changes settings of this world, at once and over restarts. @throws ServiceError for a value refused */
  async configure(change: SettingsChange): Promise<void> {
    const row = await this.change((tx) => {
      const value = mergeChanges(this.#state.settingsChange, change)
      changedSettings(this.#defaults(), value)
      const row = { name: SETTINGS, value }
      tx.rows.put('state', row)
      return row
    })
    this.#state.written(row)
  }

  /** Refuses whoever waits in this world, and says why. */
  endWaiting(why: string): void {
    this.#waiting.tell(refusal(why))
  }

  /** The same, and refuses from now on whoever still holds this world object. */
  close(why: string): void {
    this.#closed = why
    this.endWaiting(why)
  }

  /** Takes `close` back: what it was closed for did not come about. */
  reopen(): void {
    this.#closed = undefined
  }

  #look<Rows extends View>(rows: Rows) {
    if (this.#closed !== undefined) throw refusal(this.#closed)
    this.#state.follow(rows)
    const { random, clock, events } = this
    return { rows, now: clock.now(), random, settings: this.#state.settings, watched: events.watched }
  }
}

/** What a world's clock says right after a change wrote these rows: one of them may be the clock. */
function timeAfter(clock: Clock, written: readonly RowChange[]): number {
  const set = written.findLast(({ table, key, row }) => table === 'state' && key === CLOCK_STATE && row)
  if (!set) return clock.now()
  return createClock(clock.wall, (set.row as StateRow).value as ClockState).now()
}

const refusal = (why: string) => new ServiceError('unavailable', why)

/** How far a world's budget is spent. @param scenarios what its own scenarios take, bytes */
export const spendingOf = (
  { budget, bytes, inboxBytes, journal, events, snapshots }: World,
  scenarios: number,
): readonly Spending[] =>
  budget.spending({
    rows: bytes - inboxBytes,
    inboxes: inboxBytes,
    journal: journal.bytes + events.spent,
    snapshots: snapshots.bytes,
    snapshot_count: snapshots.count,
    scenarios,
  })
