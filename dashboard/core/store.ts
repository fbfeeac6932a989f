/** The state of the current world, loaded once and then updated by events. */
import type { Callback, RecordedRequest, WorldEvent } from '../../src/client/types.ts'
import type { Transaction as Listed } from '../../src/generated/control/types.ts'
import { SandboxError } from './api.ts'
import { atMostEvery, eachFrame } from './frame.ts'
import { forgetLists, listOf, resource, tellLists } from './resource.ts'
import { expired, goneNow, isGone, session } from './session.ts'
import { type Connection, type SharedStream, shareStream } from './stream.ts'
import { setClock } from './world-clock.ts'
import { batch, signal } from '@preact/signals'

/** An event with its position among all received ones. */
export interface Happening extends WorldEvent {
  readonly n: number
}

/** A transaction in the form of its events. */
export interface Transaction {
  readonly id: number
  readonly status: string
  readonly reason: string | null
  readonly reference: string
  readonly external_reference: string
  readonly provider_reference: string
  readonly checkout_request_id: string
  readonly operation: string
  readonly direction: string
  readonly rail: string
  readonly account_id: number
  readonly amount: number
  readonly cost: number
  readonly currency: string
  readonly party: string
  readonly provider: string
  readonly created_at: string
  readonly settled_at: string | null
  readonly callback_url: string
  readonly is_offline: boolean
  /** The deadline of its payer; undefined if it settles by itself. */
  readonly payer_due_at?: string | undefined
}

/** A request in the form of its event; details are loaded on demand. */
export type RequestRow = Pick<
  RecordedRequest,
  'id' | 'at' | 'method' | 'path' | 'status' | 'duration_ms' | 'operation'
> & { readonly error: string }

const HAPPENINGS = 10_000

export const happenings = signal<readonly Happening[]>([])
export const connection = signal<{
  readonly state: Connection
  readonly again: number
  readonly since: number
}>({
  state: 'connecting',
  again: 0,
  since: 0,
})
/** Counts changes by kind, for pages that load data themselves. */
export const changes = signal<{ readonly [kind: string]: number }>({})

/** Makes a resource whose items have rising ids. */
const byId = ({ id }: { readonly id: number }) => id

export const callbackResource = resource<Callback>({
  path: '/sandbox/callbacks',
  rows: 'callbacks',
  order: byId,
  events: ['callback', 'attempt'],
})

export const transactionOf = ({ amount, cost, expires_at, ...row }: Listed): Transaction => ({
  ...row,
  ...(expires_at !== null && { payer_due_at: expires_at }),
  amount: amount.amount,
  cost: cost.amount,
  currency: amount.currency,
})

export const transactionResource = resource<Transaction, Listed>({
  path: '/sandbox/transactions',
  rows: 'transactions',
  view: transactionOf,
  order: byId,
  events: ['transaction'],
  itemOf: ({ data }) => (data['deleted'] ? undefined : (data as unknown as Transaction)),
  isComplete: () => true,
})

const numberOf = (id: string) => Number(id.slice(id.indexOf('_') + 1))

export const rowOf = (request: RecordedRequest): RequestRow => {
  const { id, at, method, path, status, duration_ms, operation, response } = request
  const { error_message = '' } = (response ?? {}) as { error_message?: string }
  return { id, at, method, path, status, duration_ms, operation, error: error_message }
}

export const requestResource = resource<RequestRow, RecordedRequest>({
  path: '/sandbox/requests',
  rows: 'requests',
  view: rowOf,
  order: ({ id }) => numberOf(id),
  events: ['request'],
  itemOf: ({ at, data }) => ({ error: '', ...data, at }) as unknown as RequestRow,
  // The event does not contain the error message.
  isComplete: ({ data }) => ((data['status'] as number | null) ?? 0) < 400,
})

export const transactionList = listOf(transactionResource)
export const transactions = transactionList.items
export const requests = listOf(requestResource)

export const readClock = atMostEvery(700, async () => {
  try {
    setClock(await session.peek()?.client.clock.show())
  } catch (error) {
    if (error instanceof SandboxError && error.status === 401) expired()
  }
})

let heardLately: WorldEvent[] = []
let count = 0
/** Counts batches, since a reset changes everything without an event. */
let turns = 0

const take = eachFrame(() => {
  const events = heardLately
  heardLately = []
  batch(() => apply(events))
})

function apply(events: readonly WorldEvent[]): void {
  const lastReset = events.findLastIndex(({ type }) => type === 'reset')
  if (lastReset >= 0) forget()
  const news = events.slice(lastReset + 1).map((event) => ({ ...event, n: ++count }))
  happenings.value = [...news.toReversed(), ...happenings.peek()].slice(0, HAPPENINGS)
  tellLists(news)
  const kinds = new Set(events.map(({ type }) => type))
  changes.value = { ...changes.peek(), ...Object.fromEntries([...kinds].map((kind) => [kind, ++turns])) }
  if ([...kinds].some((kind) => kind !== 'request')) readClock()
}

/** Discards everything known about the world. */
function forget(): void {
  batch(() => {
    happenings.value = []
    forgetLists()
  })
  readClock()
}

let stream: SharedStream | undefined

/** Follows the world of the session. @returns how to stop */
export function openWorld(): () => void {
  const now = session.peek()!
  forget()
  stream = shareStream(now, {
    pieces(events) {
      heardLately.push(...events)
      take()
    },
    connection(state, again) {
      const before = connection.peek()
      const broke = state === 'broken' && before.state !== 'broken'
      connection.value = { state, again, since: broke ? Date.now() : before.since }
      if (state === 'live') readClock()
    },
    gap: forget,
    refused: expired,
    isGone,
    gone: goneNow,
    changed: (what) => (what === 'clock' ? readClock() : undefined),
  })
  stream.watch(handsets > 0)
  return () => {
    stream?.stop()
    stream = undefined
    heardLately = []
    setClock(undefined)
  }
}

/** Tells other windows that the world was deleted. */
export const tellGone = () => stream?.gone()

let handsets = 0

/** Counts this window as a watcher of the phones. @returns how to stop */
export function watchPhones(): () => void {
  if (++handsets === 1) stream?.watch(true)
  return () => {
    if (--handsets === 0) stream?.watch(false)
  }
}

/** Announces a change without an event to other windows. */
export const tellOthers = (what: string) => stream?.changed(what)
