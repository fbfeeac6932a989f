import { mapInSlices, sliceOf } from '../lib/clock/time-slice.ts'
import type { Caller, Look } from '../service/domain/context.ts'
import { transactionNotFound } from '../service/domain/archive.ts'
import { identified } from '../service/domain/visible.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { ListTransactionsQuery } from '../generated/control/requests.ts'
import type { Transaction } from '../generated/control/schemas.ts'
import type { Call, ControlHandlers } from '../http/handler.ts'
import { listIn } from '../http/reply.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import { requestView } from '../worlds/request-view.ts'
import { callbackView } from './callback-views.ts'
import { csvText } from '../lib/text/csv.ts'
import { jobView, plannedFor } from './job-views.ts'
import { MOST_LOOKED_AT, type Page, pageOf } from './page.ts'
import { requestThatMade } from './request-of.ts'
import { transactionTest } from './transaction-filter.ts'
import { statesOf, transactionView } from './transaction-views.ts'

type Handlers = Pick<ControlHandlers, 'listTransactions' | 'getTransaction'>

export const transactions: Handlers = {
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
    return { status: 200, body: { ...body, request: request ? requestView(request) : null } }
  },
}

/** A page of transactions. A reference that no look-up knows may be a receipt: for these all rows are searched. */
async function pageFor(
  look: Look,
  world: string,
  caller: Caller,
  { reference, before, limit = 100, ...filter }: Omit<ListTransactionsQuery, 'format'>,
): Promise<Page<TransactionRow>> {
  const test = transactionTest(look, caller, filter)
  const page = { before, limit, most: MOST_LOOKED_AT }
  if (reference === undefined) return pageOf(look, world, 'transactions', page, test)
  if (look.rows.newest('transactions', 'identifier', reference, { offset: 0, limit: 1 }).length === 0)
    return pageOf(look, world, 'transactions', page, (row) => hasReceipt(row, reference) && test(row))
  return identifiedPage(look, reference, before, limit, test)
}

/** How many transactions of one identifier are read at once. */
const A_LOOK = 1_000

/** Those of an identifier, newest first: one's own reference may be sent as often as one likes. */
function identifiedPage(
  { rows }: Look,
  reference: string,
  before = Infinity,
  limit: number,
  test: (row: TransactionRow) => boolean,
): Page<TransactionRow> {
  const found: TransactionRow[] = []
  for (let offset = 0; offset < MOST_LOOKED_AT; offset += A_LOOK) {
    const some = rows.newest('transactions', 'identifier', reference, { offset, limit: A_LOOK })
    found.push(...some.filter((row) => row.id < before && test(row)))
    if (found.length > limit) return { rows: found.slice(0, limit), next_before: found[limit - 1]!.id }
    if (some.length < A_LOOK) return { rows: found, next_before: null }
    if (offset + A_LOOK >= MOST_LOOKED_AT) return { rows: found, next_before: some.at(-1)!.id }
  }
  return { rows: found, next_before: null }
}

/** The newest transaction with a receipt that the caller sees; undefined when there is none. */
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

/** The header that leads to the next page: a table has no place for it. */
function nextPage(
  { request }: Pick<Call<{ readonly query: ListTransactionsQuery }>, 'request'>,
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
