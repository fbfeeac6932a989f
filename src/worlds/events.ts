import type { Clock, ClockState } from '../lib/clock/clock.ts'
import { Listeners, type OnError } from '../lib/listeners.ts'
import { noState, SCENARIO_STATE, type ScenarioState } from '../scenarios/state.ts'
import { toMajor } from '../service/domain/money.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import { isOfPhone } from '../service/vocabulary/rails.ts'
import type {
  ChangeClock,
  EventView,
  EventsOfWorld,
  Publish,
  Watcher,
  WorldEvent,
} from '../storage/engine/event-log.ts'
import type * as P from '../storage/store/payment-rows.ts'
import { linesOf } from '../storage/store/posting-lines.ts'
import { valueBytes } from '../storage/store/row-bytes.ts'
import type * as R from '../storage/store/rows.ts'
import type { RowChange } from '../storage/store/store.ts'
import { type Key, tables } from '../storage/store/tables.ts'
import { CLOCK_STATE, SETTINGS } from './settings.ts'

type Listener = (event: WorldEvent) => void

/** Who listens, in this process, to what happens in one world. */
export class Events {
  readonly #log: EventsOfWorld
  readonly #listeners: Listeners<[event: WorldEvent]>
  readonly #onClose: Listeners<[]>
  readonly #onAccessChange: Listeners<[]>
  readonly #onEventError: (error: unknown, event: WorldEvent) => void
  /** Stops following the log, which is followed once somebody listens. */
  #stop: (() => void) | undefined
  #closed = false

  /** @param onError takes what listeners throw */
  constructor(log: EventsOfWorld, onError: OnError) {
    this.#log = log
    this.#onEventError = (error, { id, type }) => onError(error, { of: 'event', id, type })
    this.#listeners = new Listeners(this.#onEventError)
    this.#onClose = new Listeners((error) => onError(error, { of: 'end of events' }))
    this.#onAccessChange = new Listeners((error) => onError(error, { of: 'change of access' }))
  }

  /** As `EventsOfWorld.bytes`. */
  get bytes(): number {
    return this.#log.bytes
  }

  /** As `EventsOfWorld.spent`. */
  get spent(): number {
    return this.#log.spent
  }

  /** As `EventsOfWorld.ready`: to be waited for by whoever reads events. */
  ready(): Promise<void> | undefined {
    return this.#log.ready()
  }

  /** As `EventsOfWorld.goBy`. */
  goBy(clock: ChangeClock): void {
    this.#log.goBy(clock)
  }

  /** To go on from here, whether there was an event yet or not. */
  get lastId(): string {
    return this.#log.lastId
  }

  /** How many events there were. */
  get count(): number {
    return this.#log.count
  }

  get listeners(): number {
    return this.#onClose.size
  }

  /** As `EventsOfWorld.watched`. */
  get watched(): boolean {
    return this.#log.watched
  }

  /** As `EventsOfWorld.watch`. */
  watch(): Watcher {
    return this.#log.watch()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** As `EventsOfWorld.follow`. */
  follow(version: number): boolean {
    return this.#log.follow(version)
  }

  /** As `EventsOfWorld.publish`. */
  publish<Subject>(type: string, at: number, subject: Subject, view: EventView<Subject>, bytes = 0): void {
    this.#log.publish(type, at, subject, view, bytes)
  }

  /** To be called when an event could not be told. */
  failed(error: unknown, event: WorldEvent): void {
    this.#onEventError(error, event)
  }

  /** As `EventsOfWorld.at`. */
  at(number: number): WorldEvent | undefined {
    return this.#log.at(number)
  }

  /** As `EventsOfWorld.position`. */
  position(id: string): number | undefined {
    return this.#log.position(id)
  }

  /** Calls `listener` when keys, users or roles of the world have changed. Returns how to stop. */
  onAccessChange(listener: () => void): () => void {
    return this.#onAccessChange.add(listener)
  }

  /** To be called when they have. */
  accessChanged(): void {
    this.#onAccessChange.tell()
  }

  /** Calls `listener` after each event, and `closed` when the world or the sandbox goes. Returns how to stop. */
  listen(listener: Listener, closed: () => void): () => void {
    if (!this.#closed) this.#stop ??= this.#log.listen((event) => this.#listeners.tell(event))
    const stops = [this.#listeners.add(listener), this.#onClose.add(closed)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Lets every listener go. */
  close(): void {
    this.#closed = true
    this.#stop?.()
    this.#onClose.tell()
    this.#listeners.clear()
    this.#onClose.clear()
    this.#onAccessChange.clear()
  }
}

/** The row that says what inboxes answer. */
const INBOX_SCRIPTS = 'inbox-scripts'

/** How a row is told of; tables that are not here are the sandbox's own business. */
const views: { readonly [table: string]: { readonly type: string; readonly view: (row: never) => object } } =
  {
    transactions: { type: 'transaction', view: transaction },
    callbacks: { type: 'callback', view: (row: P.CallbackRow) => withTimes(row, 'body') },
    attempts: { type: 'attempt', view: (row: P.AttemptRow) => withTimes(row) },
    kycs: { type: 'kyc', view: (row: R.KycRow) => withTimes(row, 'details') },
    teams: { type: 'team', view: (row: R.TeamRow) => withTimes(row) },
    channels: { type: 'channel', view: (row: R.ChannelRow) => withTimes(row) },
    postings: { type: 'posting', view: posting },
    mails: { type: 'mail', view: (row: R.MailRow) => withTimes(row) },
    phones: { type: 'phone', view: (row: R.PhoneRow) => withTimes(row, 'pin') },
    invites: { type: 'invitation', view: (row: R.InviteRow) => withTimes(row) },
  }

/** What of a world is needed to tell its listeners. */
interface EventSource {
  readonly events: Events
  readonly clock: Clock
}

/** Tells the listeners of a world what a change wrote, unless they have heard of it. @param version of the change */
export function publishRows(
  { events, clock }: EventSource,
  written: readonly RowChange[],
  version: number,
): void {
  if (events.follow(version)) eventsOfRows(written, clock.now(), (...event) => events.publish(...event))
}

/** Publishes what a change wrote, at a time of the world's clock. */
export function eventsOfRows(written: readonly RowChange[], at: number, publish: Publish): void {
  for (const { table, key, row } of written) {
    if (table === 'state') publishState(publish, key, row as R.StateRow | undefined, at)
    if (table === 'inbox' && row) publishMessage(publish, row as R.InboxRow, at)
    const known = views[table]
    if (!known || isRetention(table, row)) continue
    if (row) publish(known.type, at, row as never, known.view, tables[table].bytes(row as never))
    else publish(known.type, at, key, deleted)
    if (table === 'transactions' && row && isAnswered(row as P.TransactionRow))
      publish('prompt', at, row as P.TransactionRow, prompt)
  }
}

/** How a row of the table `state` is told of, by its name; what is not here is the sandbox's own business. */
const states: {
  readonly [name: string]: { readonly type: string; readonly view: (value: never) => object }
} = {
  [CLOCK_STATE]: {
    type: 'clock',
    view: ({ factor }: ClockState) => ({ speed: factor, frozen: factor === 0 }),
  },
  [SETTINGS]: { type: 'settings', view: (changed: object) => ({ changed: Object.keys(changed) }) },
  [SCENARIO_STATE]: {
    type: 'scenario',
    view: ({ on, queue, used, files }: ScenarioState) => ({ on, queue, used, own: Object.keys(files) }),
  },
  [INBOX_SCRIPTS]: { type: 'inbox', view: (scripts: object) => ({ scripts }) },
}

/** What an event takes that is made of a row of the table `state`. */
const STATE_EVENT = 200

/** Only what is shown of a row is kept: a world's own scenario files may be large. */
function publishState(publish: Publish, key: Key, row: R.StateRow | undefined, at: number): void {
  const known = states[String(key)]
  if (!known) return
  const data = known.view((row?.value ?? (key === SCENARIO_STATE ? noState : {})) as never)
  publish(known.type, at, data, shownAsIs, STATE_EVENT + valueBytes(data))
}

/** A message without its body: that can be asked for. */
function publishMessage(publish: Publish, row: R.InboxRow, at: number): void {
  const { id, inbox, answered, signature_holds } = row
  publish('inbox', at, { id, inbox, answered, signature_holds }, shownAsIs, STATE_EVENT)
}

const shownAsIs = (data: object): object => data

/** Whether a row was written because of what a world keeps: that is no news of the transaction. */
const isRetention = (table: string, row: object | undefined) =>
  table === 'transactions'
    ? row === undefined || (row as P.TransactionRow).kept_from !== undefined
    : table === 'postings' && row === undefined

/** Whether a payment has a prompt that is left to its payer, or was answered by hand; what settles by itself says nothing of it. */
const isAnswered = ({ rail, payer_due_at, answered_at, history }: P.TransactionRow): boolean =>
  isOfPhone({ rail }) && (payer_due_at !== undefined || answered_at !== undefined) && history === undefined

/** How a prompt stands: made, answered or expired. */
function prompt(row: P.TransactionRow): object {
  const { reference, external_reference, party, account_id, amount, currency, status, reason } = row
  return {
    id: reference,
    external_reference,
    phone: party,
    account_id,
    amount: toMajor(amount, currency),
    currency,
    state: status === 'QUEUED' ? 'waiting' : status === 'FAILED' ? 'failed' : 'paid',
    reason,
    created_at: wireTime(row.created_at),
    expires_at: row.payer_due_at === undefined ? null : wireTime(row.payer_due_at),
    answered_at: row.answered_at === undefined ? null : wireTime(row.answered_at),
  }
}

const deleted = (id: Key) => ({ id, deleted: true })

function transaction(row: P.TransactionRow): object {
  const major = (minor: number) => toMajor(minor, row.currency)
  const money = {
    amount: major(row.amount),
    cost: major(row.cost),
    amount_to_save: major(row.amount_to_save),
  }
  const history = row.history?.map((state) => withTimes(state))
  return withTimes({ ...row, ...money, ...(history && { history }) }, 'plan')
}

function posting(row: P.PostingRow): object {
  const lines = linesOf(row).map((line) => ({ ...line, amount: toMajor(line.amount, row.currency) }))
  return { ...withTimes(row), lines }
}

/** The row with times as the wire has them, without what would only be long. */
function withTimes(row: object, leftOut?: string): object {
  const entries = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (name === leftOut) return []
    return [[name, typeof value === 'number' && /(^|_)at$/.test(name) ? wireTime(value) : value]]
  })
  return Object.fromEntries(entries)
}
