import type { Clock, ClockState } from '../lib/clock/clock.ts'
import { Listeners, type OnError } from '../lib/listeners.ts'
import { noState, SCENARIO_STATE, type ScenarioState } from '../scenarios/library.ts'
import { toMajor } from '../service/domain/money.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import { isOfPhone } from '../service/vocabulary/rails.ts'
import type { EventsOfWorld, Publish, WorldEvent } from '../storage/engine/event-log.ts'
import type * as P from '../storage/store/payment-rows.ts'
import { linesOf, valueBytes, type Key, tables } from '../storage/store/tables.ts'
import type * as R from '../storage/store/rows.ts'
import type { RowChange } from '../storage/store/change.ts'
import { CLOCK_STATE, SETTINGS } from './settings.ts'

/** The listeners in this process for the events of one world. */
export class EventListeners {
  readonly #log: EventsOfWorld
  readonly #listeners: Listeners<[event: WorldEvent]>
  readonly #onClose: Listeners<[]>
  readonly #onAccessChange: Listeners<[]>
  /** Reports an event that could not be serialised or whose listener threw. */
  readonly failed: (error: unknown, event: WorldEvent) => void
  /** Ends the subscription to the log, which begins with the first listener. */
  #stop: (() => void) | undefined
  #closed = false

  constructor(log: EventsOfWorld, onError: OnError) {
    this.#log = log
    this.failed = (error, { id, type }) => onError(error, { of: 'event', id, type })
    this.#listeners = new Listeners(this.failed)
    this.#onClose = new Listeners((error) => onError(error, { of: 'end of events' }))
    this.#onAccessChange = new Listeners((error) => onError(error, { of: 'change of access' }))
  }

  get size(): number {
    return this.#onClose.size
  }

  /** Calls `listener` when API keys, users or roles of the world change. Returns a function that unsubscribes. */
  onAccessChange(listener: () => void): () => void {
    return this.#onAccessChange.add(listener)
  }

  accessChanged(): void {
    this.#onAccessChange.tell()
  }

  /** Calls `listener` after each event, and `closed` when the world or the sandbox closes. Returns a function that unsubscribes. */
  add(listener: (event: WorldEvent) => void, closed: () => void): () => void {
    if (!this.#closed) this.#stop ??= this.#log.listen((event) => this.#listeners.tell(event))
    const stops = [this.#listeners.add(listener), this.#onClose.add(closed)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  close(): void {
    this.#closed = true
    this.#stop?.()
    this.#onClose.tell()
    this.#listeners.clear()
    this.#onClose.clear()
    this.#onAccessChange.clear()
  }
}

const INBOX_SCRIPTS = 'inbox-scripts'

type Views = { readonly [name: string]: { readonly type: string; readonly view: (value: never) => object } }

/** The event type and JSON of each table. Changes of other tables are internal and publish nothing. */
const views: Views = {
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

/** The same for rows of the table `state`, by their names. */
const states: Views = {
  [CLOCK_STATE]: {
    type: 'clock',
    view: ({ speed }: ClockState) => ({ speed, frozen: speed === 0 }),
  },
  [SETTINGS]: { type: 'settings', view: (changed: object) => ({ changed: Object.keys(changed) }) },
  [SCENARIO_STATE]: {
    type: 'scenario',
    view: ({ on, queue, used, files }: ScenarioState) => ({ on, queue, used, own: Object.keys(files) }),
  },
  [INBOX_SCRIPTS]: { type: 'inbox', view: (scripts: object) => ({ scripts }) },
}

/** Publishes the rows that a change wrote, unless another process sharing the log has published them. */
export function publishRows(
  { events, clock }: { readonly events: EventsOfWorld; readonly clock: Clock },
  written: readonly RowChange[],
  version: number,
): void {
  if (events.follow(version)) eventsOfRows(written, clock.now(), (...event) => events.publish(...event))
}

/** @param at - Milliseconds on the world's clock. */
export function eventsOfRows(written: readonly RowChange[], at: number, publish: Publish): void {
  for (const { table, key, row } of written) {
    if (table === 'state') publishState(publish, key, row as R.StateRow | undefined, at)
    if (table === 'inbox' && row) publishMessage(publish, row as R.InboxRow, at)
    const known = views[table]
    if (!known || isRetention(table, row)) continue
    if (row) publish(known.type, at, row as never, known.view, tables[table].bytes(row as never))
    else publish(known.type, at, key, deleted)
    if (table === 'transactions' && row && hasPrompt(row as P.TransactionRow))
      publish('prompt', at, row as P.TransactionRow, prompt)
  }
}

/** Bytes of an event about a row of the table `state`, without its data. */
const STATE_EVENT = 200

/** Keeps only what the event shows: a world's own scenario files may be large. */
function publishState(publish: Publish, key: Key, row: R.StateRow | undefined, at: number): void {
  const known = states[String(key)]
  if (!known) return
  const data = known.view((row?.value ?? (key === SCENARIO_STATE ? noState : {})) as never)
  publish(known.type, at, data, shownAsIs, STATE_EVENT + valueBytes(data))
}

/** Leaves out the body, which listeners can request. */
function publishMessage(publish: Publish, row: R.InboxRow, at: number): void {
  const { id, inbox, response_status, signature_valid } = row
  publish('inbox', at, { id, inbox, response_status, signature_valid }, shownAsIs, STATE_EVENT)
}

const shownAsIs = (data: object): object => data

/** Whether a row was written by the archive, which changes nothing about the transaction. */
const isRetention = (table: string, row: object | undefined) =>
  table === 'transactions'
    ? row === undefined || (row as P.TransactionRow).kept_from !== undefined
    : table === 'postings' && row === undefined

/** Whether the payer decides about the payment by hand, or has done so. Payments that settle automatically have no prompt event. */
const hasPrompt = ({ rail, payer_due_at, responded_at, history }: P.TransactionRow): boolean =>
  isOfPhone({ rail }) && (payer_due_at !== undefined || responded_at !== undefined) && history === undefined

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
    responded_at: row.responded_at === undefined ? null : wireTime(row.responded_at),
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
  const exchange = row.exchange && exchangeOf(row.exchange)
  return withTimes({ ...row, ...money, ...(exchange && { exchange }), ...(history && { history }) }, 'plan')
}

function exchangeOf({ currency, ...rest }: NonNullable<P.TransactionRow['exchange']>): object {
  const major = (minor: number) => toMajor(minor, currency)
  const { amount, cost, amount_to_save, difference, rate } = rest
  return {
    currency,
    rate,
    amount: major(amount),
    cost: major(cost),
    amount_to_save: major(amount_to_save),
    difference: major(difference),
  }
}

function posting(row: P.PostingRow): object {
  const lines = linesOf(row).map((line) => ({ ...line, amount: toMajor(line.amount, row.currency) }))
  return { ...withTimes(row), lines }
}

/** Formats the times of a row as the API does, and drops the one field that would only make the event long. */
function withTimes(row: object, omitted?: string): object {
  const entries = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (name === omitted) return []
    return [[name, typeof value === 'number' && /(^|_)at$/.test(name) ? wireTime(value) : value]]
  })
  return Object.fromEntries(entries)
}
