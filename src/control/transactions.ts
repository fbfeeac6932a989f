import { callbackView } from './callbacks.ts'
import { jobView, plannedFor } from './jobs.ts'
import {
  handlers,
  matching,
  moneyView,
  MOST_LOOKED_AT,
  ok,
  type Page,
  pageOf,
  pageOfTransactions,
  timeOr,
} from './page.ts'
import type { Requests } from '../generated/control/requests.ts'
import type { Transaction, TransactionState } from '../generated/control/types.ts'
import { type Call, listIn } from '../http/handler.ts'
import { mapInSlices, sliceOf, timeSlice } from '../lib/clock/clock.ts'
import { traceIdOf } from '../lib/text/headers.ts'
import { csvText } from '../lib/text/csv.ts'
import { transactionNotFound } from '../service/domain/archive.ts'
import type { Caller, Look } from '../service/domain/context.ts'
import { countries } from '../service/domain/countries/countries.ts'
import { networkOf } from '../service/domain/countries/networks.ts'
import { waitsUntil } from '../service/domain/prompts.ts'
import { messageOf } from '../service/domain/callbacks.ts'
import { identified, seesTeams } from '../service/domain/visible.ts'
import { exactOrNull, exactTime } from '../service/domain/wire-time.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { Exchange } from '../storage/store/row-fields.ts'
import { answerOf, type JournalEntry, requestView } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'

export const transactions = handlers(() => ({
  async listTransactions(call) {
    const { world, caller, request } = call
    const { format, ...query } = request.query
    const page = await world.readInSlices(async (look) => {
      const { rows, next_before } = await pageFor(look, world.name, caller, query)
      const slice = sliceOf(world.name)
      return {
        transactions: await mapInSlices(rows, slice, (row) => transactionView(look, row)),
        next_before,
      }
    })
    const wantsTable = format === undefined && /\btext\/csv\b/i.test(call.header('accept') ?? '')
    if (format !== 'csv' && !wantsTable) return { status: 200, ...listIn(page, 'transactions') }
    return {
      status: 200,
      text: table(page.transactions),
      type: 'text/csv; charset=utf-8',
      ...(page.next_before !== null && { headers: { link: nextPage(call, page.next_before) } }),
    }
  },

  async getTransaction(call) {
    const { world, caller } = call
    const { reference } = call.request.path
    const row = await world.readInSlices(async (look) => {
      const found =
        identified(look, caller, reference) ?? (await withReceipt(look, world.name, caller, reference))
      if (!found) throw transactionNotFound(look, 'transaction', reference)
      return found
    })
    const request = await requestThatMade(world, row)
    const body = await world.read((look) => detailsOf(look, world.name, row))
    return ok({ ...body, request: request ? requestView(request) : null })
  },
}))

/**
 * Returns a page of transactions. A reference that the index does not contain may be a receipt, which takes a
 * search of all rows.
 */
async function pageFor(
  look: Look,
  world: string,
  caller: Caller,
  { reference, before, limit = 100, ...filter }: Omit<Requests['listTransactions']['query'], 'format'>,
): Promise<Page<TransactionRow>> {
  const test = transactionTest(look, caller, filter)
  const page = { before, limit, most: MOST_LOOKED_AT }
  if (reference === undefined) return pageOf(look, world, 'transactions', page, test)
  if (look.rows.newest('transactions', 'identifier', reference, { offset: 0, limit: 1 }).length === 0)
    return pageOf(look, world, 'transactions', page, (row) => hasReceipt(row, reference) && test(row))
  return pageOfTransactions(look, 'identifier', reference, page, test)
}

/** Returns the newest visible transaction with a receipt, or undefined if none exists. */
async function withReceipt(
  look: Look,
  world: string,
  caller: Caller,
  receipt: string,
): Promise<TransactionRow | undefined> {
  const isSeen = transactionTest(look, caller, {})
  const test = (row: TransactionRow) => hasReceipt(row, receipt) && isSeen(row)
  const { rows } = await pageOf(look, world, 'transactions', { limit: 1, most: MOST_LOOKED_AT }, test)
  return rows[0]
}

const hasReceipt = (row: TransactionRow, receipt: string) => row.provider_reference === receipt

function detailsOf(look: Look, world: string, seen: TransactionRow) {
  const row = look.rows.get('transactions', seen.id) ?? seen
  const { checkout_opened_at: opened, checkout_expires_at: expires } = row
  const checkout =
    opened === undefined || expires === undefined
      ? null
      : { opened_at: exactTime(opened), expires_at: exactTime(expires) }
  const callbacks = look.rows.find('callbacks', 'transaction', row.id)
  return {
    transaction: transactionView(look, row),
    states: statesOf(row),
    checkout,
    callbacks: callbacks.map((callback) => callbackView(look, world, callback)),
    planned: plannedFor(look, row).map((job) => jobView(look, job)),
  }
}

const money = ['amount', 'cost', 'amount_to_save'] as const
const texts = [
  'reference',
  'external_reference',
  'checkout_request_id',
  'provider_reference',
  'operation',
  'direction',
  'rail',
  'status',
  'reason',
  'account_id',
  'channel_id',
  'country',
  'provider',
  'network',
  'party',
  'scenario',
  'callback_state',
  'created_at',
  'settled_at',
] as const

const table = (rows: readonly Transaction[]): string =>
  csvText(
    [...texts, ...money, 'currency'],
    rows.map((row) => [
      ...texts.map((name) => row[name]),
      ...money.map((name) => row[name].amount),
      row.amount.currency,
    ]),
  )

/** CSV has no field for the next page, so a header links to it. */
function nextPage(
  { request }: Pick<Call<{ readonly query: Requests['listTransactions']['query'] }>, 'request'>,
  before: number,
) {
  const given = Object.entries({ ...request.query, format: 'csv', before })
  const query = new URLSearchParams(
    given.flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
  return `</sandbox/transactions?${query}>; rel="next"`
}

type Test = (row: TransactionRow) => boolean
type Filter = Omit<Requests['listTransactions']['query'], 'reference' | 'before' | 'limit' | 'format'>

/** Tests whether the caller sees a transaction and the filter matches it. Cheap tests run first. */
export function transactionTest(look: Look, caller: Caller, filter: Filter): Test {
  const sees = seesTeams(look, caller)
  const { party, search, from, to, callback_state, ...same } = filter
  const tests: Test[] = [({ account_id }) => sees(account_id), matching(same)]
  if (from !== undefined || to !== undefined) tests.push(acceptedIn(from, to))
  if (party !== undefined) {
    const forms = formsOf(party)
    tests.push((row) => forms.includes(row.party))
  }
  if (search !== undefined) tests.push(hasText(search))
  if (callback_state !== undefined) tests.push((row) => callbackStateOf(look, row) === callback_state)
  return (row) => tests.every((test) => test(row))
}

function acceptedIn(from: string | undefined, to: string | undefined): Test {
  const begin = timeOr(from, -Infinity)
  const end = timeOr(to, Infinity)
  return ({ created_at }) => created_at >= begin && created_at < end
}

/** Returns the forms in which a row may store a phone number, or a part of one, that is given as people write or dial it. */
function formsOf(text: string): readonly string[] {
  const bare = text.replace(/[\s()-]/g, '').replace(/^(\+|00)/, '')
  const local = /^0[1-9]\d*$/.test(bare) ? countries.map(({ dial_code }) => dial_code + bare.slice(1)) : []
  return [text.trim(), bare, ...local].filter((form) => form !== '')
}

/** A pattern is twice as fast as lower-casing each text. */
function hasText(text: string): Test {
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i')
  const forms = /^\+?[\d\s()-]+$/.test(text) ? formsOf(text) : []
  return (row) =>
    pattern.test(row.reference) ||
    pattern.test(row.external_reference) ||
    pattern.test(row.checkout_request_id) ||
    pattern.test(row.provider_reference) ||
    pattern.test(row.party) ||
    forms.some((form) => row.party.includes(form)) ||
    pattern.test(row.provider) ||
    pattern.test(networkOf(row)?.name ?? '')
}

function callbackStateOf({ rows }: Look, { id }: TransactionRow): Transaction['callback_state'] {
  const [last] = rows.newest('callbacks', 'transaction', id, { offset: 0, limit: 1 })
  return last?.state ?? 'none'
}

export function transactionView(look: Look, row: TransactionRow): Transaction {
  const { currency, created_at, settled_at } = row
  const waits = waitsUntil(row)
  return {
    id: row.id,
    reference: row.reference,
    checkout_request_id: row.checkout_request_id,
    external_reference: row.external_reference,
    provider_reference: row.provider_reference,
    operation: row.operation,
    direction: row.direction,
    rail: row.rail,
    status: row.status,
    reason: row.reason,
    message: messageOf(row),
    account_id: row.account_id,
    channel_id: row.channel_id,
    is_offline: row.is_offline,
    amount: moneyView(row.amount, currency),
    cost: moneyView(row.cost, currency),
    amount_to_save: moneyView(row.amount_to_save, currency),
    exchange: row.exchange ? exchangeView(row.exchange) : null,
    country: row.country,
    provider: row.provider,
    network: networkOf(row)?.name ?? null,
    party: row.party,
    scenario: row.scenario ?? null,
    ...(row.trace && { trace_id: traceIdOf(row.trace) }),
    callback_url: row.callback_url,
    callback_state: callbackStateOf(look, row),
    redirect_url: row.redirect_url,
    created_at: exactTime(created_at),
    settled_at: exactOrNull(settled_at),
    expires_at: exactOrNull(waits),
    duration_ms: settled_at === null ? null : settled_at - created_at,
  }
}

const exchangeView = ({ currency, amount, cost, rate, difference }: Exchange) => ({
  amount: moneyView(amount, currency),
  cost: moneyView(cost, currency),
  rate,
  difference: moneyView(difference, currency),
})

/** The states of a transaction, oldest first. */
function statesOf(row: TransactionRow): TransactionState[] {
  const { created_at, settled_at, status, reason, history = [] } = row
  const states: TransactionState[] = [
    { at: exactTime(created_at), status: 'QUEUED', reason: null, rejection_reason: null },
  ]
  for (const { at, rejection_reason = null, ...past } of history)
    states.push({ at: exactTime(at), status: past.status, reason: past.reason, rejection_reason })
  if (settled_at !== null) states.push({ at: exactTime(settled_at), status, reason, rejection_reason: null })
  return states
}

/** Whether a logged request created a transaction. */
export function made(entry: JournalEntry, { operation, reference }: TransactionRow): boolean {
  if (entry.operation !== operation) return false
  const answer = answerOf(entry)
  return (textIn(answer, 'reference') ?? textIn(answer, 'merchant_reference')) === reference
}

/** Returns the request that created a transaction, or undefined if the request log no longer contains it. */
async function requestThatMade(world: World, row: TransactionRow): Promise<JournalEntry | undefined> {
  const slice = await timeSlice(world.name)
  for (const entry of await world.journal.newest(Infinity)) {
    if (slice.over) await slice.next()
    if (made(entry, row)) return entry
  }
  return undefined
}

export function textIn(value: unknown, name: string): string | undefined {
  const field = (value as Record<string, unknown> | null | undefined)?.[name]
  return typeof field === 'string' ? field : undefined
}
