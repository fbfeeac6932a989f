import { type Clock, type ClockState, createClock } from '../lib/clock/clock.ts'
import { type OnError, Listeners } from '../lib/listeners.ts'
import { type Random, createRandom } from '../lib/random/random.ts'
import type { Look, Settings, Tx } from '../service/domain/context.ts'
import { invalid, ServiceError } from '../service/domain/errors.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { EventsOfWorld } from '../storage/engine/event-log.ts'
import type { JournalRecord } from '../storage/engine/journal.ts'
import type { ApiKeyRow, StateRow } from '../storage/store/rows.ts'
import type { Moment, Synchronous, RowChange, Store, View, WorldRows } from '../storage/store/change.ts'
import { Budget, type Limits, type OnSpent, type Rates, type Spending } from './budget.ts'
import { EventListeners, eventsOfRows } from './events.ts'
import { Responses } from './request-log.ts'
import {
  changedSettings,
  CLOCK_STATE,
  mergeChanges,
  SETTINGS,
  stateIn,
  TEMPLATE,
  type SettingsChange,
  WorldState,
  type WorldTemplate,
} from './settings.ts'
import { snapshotsOf, type WorldSnapshots } from './snapshots.ts'

export interface WorldOptions {
  readonly name: string
  readonly engine: Pick<Engine, 'store' | 'snapshots' | 'events' | 'journal'>
  readonly clock: Clock
  /** Seeds everything random in the world, together with its name. */
  readonly seed: string
  /** Seeds the secrets of the world, together with its name; `seed` by default. */
  readonly secret?: string | undefined
  /** Returns the settings of the process: the same object until they change. */
  readonly settings: () => Settings
  readonly number: number
  /** Maximum number of requests in the request log. */
  readonly requestLogSize: number
  /** The rows that the world is opened with; at least those of the table `state`. */
  readonly rows: WorldRows
  readonly onError: OnError
  /** The object that this one replaces after a reset. */
  readonly before?: World | undefined
  /** Returns the limits of a world with this template. */
  readonly limitsOf: (template: WorldTemplate | undefined) => WorldLimits
  readonly onSpent?: (world: string, ...spent: Parameters<OnSpent>) => void
}

export interface WorldLimits {
  readonly limits: Limits
  readonly rates?: Rates | undefined
}

/** The use of an API key is saved at most once per interval, in milliseconds. */
const KEY_USE_INTERVAL = 60_000

/** One isolated world: everything that a caller can see or change, with its own clock and randomness. */
export class World {
  readonly name: string
  /** The position among the worlds of the process, by age. Survives resets. */
  readonly number: number
  readonly clock: Clock
  readonly random: Random
  readonly journal: JournalRecord
  readonly responses: Responses
  /** Survives resets, as do the listeners. */
  readonly events: EventsOfWorld
  readonly eventListeners: EventListeners
  readonly snapshots: WorldSnapshots
  /** Survives resets. */
  readonly budget: Budget
  /** When the world was last called, in real time (milliseconds). */
  used_at: number
  /** Number of running requests in this process. */
  underWay = 0
  #keys: Map<string, ApiKeyRow> | undefined
  /** By API key, when its use was last saved. */
  #keyUses: Map<string, number> | undefined
  readonly #store: Store
  readonly #defaults: () => Settings
  readonly #state: WorldState
  readonly #waiting: Listeners<[error: ServiceError]>
  readonly #commits: Listeners<[written: readonly RowChange[]]>
  #closed: string | undefined
  /** Why waiting is pointless. */
  #ended: string | undefined

  constructor(options: WorldOptions) {
    // Destructured so that the closures below do not keep all options in memory.
    const { name, engine, clock, before, rows, limitsOf, onError: report, onSpent } = options
    const { limits, rates } = limitsOf(stateIn(rows, TEMPLATE))
    const onError: OnError = (error, about) => report(error, { world: name, ...about })
    // Events hold on to logged requests and replaced rows, so the request log and the events get half of the budget each.
    const bytes = limits.request_log / 2
    this.name = name
    this.number = options.number
    this.clock = clock
    this.random = createRandom(`${options.seed}\0${name}`, `${options.secret ?? options.seed}\0${name}`)
    this.journal = engine.journal.open(name, { requests: options.requestLogSize, bytes })
    this.responses = new Responses(this.journal, onError)
    this.events =
      before?.events ??
      engine.events.open(name, {
        life: clock.wall().toString(36),
        mostBytes: bytes,
        ofRows: eventsOfRows,
      })
    this.eventListeners = before?.eventListeners ?? new EventListeners(this.events, onError)
    this.events.goBy((written) => timeAfter(clock, written))
    this.snapshots = snapshotsOf(engine.snapshots, name)
    this.budget =
      before?.budget ?? new Budget(limits, clock.wall, (...spent) => onSpent?.(name, ...spent), rates, name)
    this.used_at = clock.wall()
    this.#store = engine.store
    this.#defaults = options.settings
    this.#state = new WorldState(clock, options.settings, rows, (template) => {
      const own = limitsOf(template)
      this.budget.adopt(own.limits, own.rates)
    })
    this.#waiting = new Listeners<[error: ServiceError]>((error) => onError(error, { of: 'end of waiting' }))
    this.#commits = new Listeners<[written: readonly RowChange[]]>((error) =>
      onError(error, { of: 'commit' }),
    )
  }

  /** Whether the use of an API key should be saved now. @param now - Real time in milliseconds. */
  shouldSaveKeyUse(username: string, now: number): boolean {
    const uses = (this.#keyUses ??= new Map<string, number>())
    if (now - (uses.get(username) ?? -Infinity) < KEY_USE_INTERVAL) return false
    uses.set(username, now)
    return true
  }

  /** A cache of valid API keys by username. It is cleared when a key changes. */
  get keys(): Map<string, ApiKeyRow> {
    return (this.#keys ??= new Map())
  }

  get settings(): Settings {
    return this.#state.settings
  }

  /** The size of all rows, including `inboxBytes`. */
  get bytes(): number {
    return this.#store.bytes(this.name)
  }

  /** The size of the inbox messages, which anyone on the network may send. */
  get inboxBytes(): number {
    return this.#store.inboxBytes(this.name)
  }

  get version(): number {
    return this.#store.version(this.name)
  }

  /** Undefined for worlds that were not made on request. */
  get template(): WorldTemplate | undefined {
    return this.#state.template
  }

  /** Distinguishes the world from earlier ones of its name; undefined for the first. Survives resets. */
  get life(): string | undefined {
    return this.#state.life
  }

  /** Whether a request, stream or waiting caller in this process uses the world. */
  get isInUse(): boolean {
    const { budget, eventListeners } = this
    const atOnce = budget.atOnce('bodies') + budget.atOnce('waiters') + budget.atOnce('streams')
    return this.underWay + atOnce + eventListeners.size + this.#waiting.size + this.#commits.size > 0
  }

  /** True after a reset, replacement or removal: this object then rejects all calls. */
  get closed(): boolean {
    return this.#closed !== undefined
  }

  /** Calls `listener` after each stored change that wrote rows. Returns a function that unsubscribes. */
  onCommit(listener: (written: readonly RowChange[]) => void): () => void {
    return this.#commits.add(listener)
  }

  committed(written: readonly RowChange[]): void {
    for (const { table, row } of written) if (table === 'state' && row) this.#state.written(row as StateRow)
    this.#commits.tell(written)
  }

  /** Calls `listener` with an error when waiting in this world becomes pointless. Returns a function that unsubscribes. */
  onEnd(listener: (error: ServiceError) => void): () => void {
    const stop = this.#waiting.add(listener)
    if (this.#ended !== undefined) listener(unavailable(this.#ended))
    return stop
  }

  /**
   * Runs `work` as a transaction: no other change of the world runs meanwhile, and nothing is written if it throws. It runs again if
   * another process changed the world meanwhile, so `rows` must be the only thing that it changes.
   */
  change<T>(work: (tx: Tx) => T & Synchronous<T>): T | Promise<T> {
    return this.#store.change(this.name, (rows) => work(this.#look(rows)))
  }

  /** Runs `work`, which moves the clock and stores it. If that fails, the clock follows its row again. */
  async moveClock<T>(work: (back: () => void) => T | Promise<T>): Promise<T> {
    const before = this.clock.state
    const back = () => {
      if (this.clock.state !== before) this.clock.follow(this.#state.clock ?? before)
    }
    try {
      return await work(back)
    } catch (error) {
      back()
      throw error
    }
  }

  /** Runs a change that moves the clock and stores it. */
  changeClock<T>(work: (tx: Tx) => T & Synchronous<T>): Promise<T> {
    return this.moveClock((back) =>
      this.change((tx) => {
        // The store may make the change again.
        back()
        return work(tx)
      }),
    )
  }

  /** Runs `work` on a consistent view of the rows. */
  read<T>(work: (look: Look) => T & Synchronous<T>, since?: Moment): T | Promise<T> {
    return this.#store.read(this.name, (rows) => work(this.#look(rows)), since)
  }

  /** The same for asynchronous work. Changes and other reads wait until it ends. */
  readInSlices<T>(work: (look: Look) => Promise<T>): Promise<T> {
    return this.#store.readInSlices(this.name, (rows) => work(this.#look(rows)))
  }

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

  /** Changes the template within a change of rows. @throws ServiceError 400 if the world has none */
  async changeTemplate(work: (template: WorldTemplate, tx: Tx) => Partial<WorldTemplate>): Promise<void> {
    const row = await this.change((tx) => {
      const { template } = this
      if (!template) throw invalid(`world ${this.name} has the password of its owner, and no plan of its own`)
      const row = { name: TEMPLATE, value: { ...template, ...work(template, tx) } }
      tx.rows.put('state', row)
      return row
    })
    this.#state.written(row)
  }

  /** Rejects all callers that wait in this world, or begin to. */
  endWaiting(why: string): void {
    this.#ended = why
    this.#waiting.tell(unavailable(why))
  }

  /** Rejects waiting callers, and all further use of this object. */
  close(why: string): void {
    this.#closed = why
    this.endWaiting(why)
  }

  /** Undoes `close` when the operation that needed it failed. */
  reopen(): void {
    this.#closed = undefined
    this.#ended = undefined
  }

  #look<Rows extends View>(rows: Rows) {
    if (this.#closed !== undefined) throw unavailable(this.#closed)
    this.#state.follow(rows)
    const { random, clock, events } = this
    return { rows, now: clock.now(), random, settings: this.#state.settings, watched: events.watched }
  }
}

/** The time of the world right after a change, which may have set the clock. */
function timeAfter(clock: Clock, written: readonly RowChange[]): number {
  const set = written.findLast(({ table, key, row }) => table === 'state' && key === CLOCK_STATE && row)
  if (!set) return clock.now()
  return createClock(clock.wall, (set.row as StateRow).value as ClockState).now()
}

const unavailable = (why: string) => new ServiceError('unavailable', why)

/** @param scenarios - Bytes of the world's own scenarios. */
export const spendingOf = (
  { budget, bytes, inboxBytes, journal, events, snapshots }: World,
  scenarios: number,
): readonly Spending[] =>
  budget.spending({
    rows: bytes - inboxBytes,
    inboxes: inboxBytes,
    request_log: journal.bytes + events.spent,
    snapshots: snapshots.bytes,
    snapshot_count: snapshots.count,
    scenarios,
  })
