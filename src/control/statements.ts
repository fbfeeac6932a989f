import { handlers } from './page.ts'
import { mapInSlices, sliceOf, type TimeSlice } from '../lib/clock/time-slice.ts'
import type { Look } from '../service/domain/context.ts'
import { toMajor } from '../service/domain/money.ts'
import {
  type StatementScope,
  type Line,
  linesFor,
  type Period,
  periodOf,
  placeAfter,
  readStatement,
} from '../service/domain/statements.ts'
import { networkOf } from '../service/domain/realism/rules.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import { listIn } from '../http/handler.ts'
import { amountIn } from '../storage/store/posting-lines.ts'
import type { PostingRow } from '../storage/store/payment-rows.ts'
import { csvText } from '../lib/text/csv.ts'

export const statements = handlers(() => ({
  async getStatement(call) {
    const { world, caller, request } = call
    const { after, limit, format, ...query } = request.query
    const statement = await world.readInSlices(async (look) => {
      const requested = readStatement(look, caller, query)
      const walk = { look, requested, period: periodOf(look, requested), slice: sliceOf(world.name) }
      return { ...walk, ...(await pageOf(walk, after, limit)), totals: await totalsOf(walk) }
    })
    const requested = format === undefined && /\btext\/csv\b/i.test(call.header('accept') ?? '')
    if (format === 'csv' || requested)
      return { status: 200, text: tableOf(statement), type: 'text/csv; charset=utf-8' }
    return { status: 200, ...listIn(await viewOf(statement, sliceOf(world.name)), 'lines') }
  },
}))

interface Walk {
  readonly look: Look
  readonly requested: StatementScope
  readonly period: Period
  readonly slice: TimeSlice
}

/** A line with the wallet's balance after it, in minor units. */
interface Told extends Line {
  readonly balance: number
}

interface Page {
  readonly lines: readonly Told[]
  /** Whether this is the first page of the period. */
  readonly first: boolean
  readonly next_after: number | null
}

interface Totals {
  lines: number
  paid_in: number
  paid_out: number
  charges: number
}

interface Statement extends Omit<Walk, 'look' | 'slice'>, Page {
  readonly totals: Totals
}

async function pageOf(walk: Walk, after: number | undefined, limit: number): Promise<Page> {
  const { look, requested, period } = walk
  const from = after === undefined ? undefined : placeAfter(look, requested, period, after)
  const offset = from?.offset ?? period.first
  let balance = from?.balance ?? period.opening
  let last: number | null = null
  const lines: Told[] = []
  const end = Math.min(offset + limit, period.end)
  await eachPosting(walk, offset, end, (posting) => {
    balance += amountIn(posting, requested.account)
    last = posting.id
    for (const line of linesFor(look, requested, posting)) lines.push({ ...line, balance })
  })
  return { lines, first: from === undefined, next_after: end < period.end ? last : null }
}

async function totalsOf(walk: Walk): Promise<Totals> {
  const { look, requested, period } = walk
  const totals: Totals = { lines: 0, paid_in: 0, paid_out: 0, charges: 0 }
  await eachPosting(walk, period.first, period.end, (posting) => {
    for (const { amount, charge } of linesFor(look, requested, posting)) {
      totals.lines += 1
      if (amount > 0) totals.paid_in += amount
      else totals.paid_out -= amount
      totals.charges += charge
    }
  })
  return totals
}

/** Postings read at once. */
const AT_ONCE = 500

/** Visits the account's postings from `start` up to but not including `end`, in time slices. */
async function eachPosting(
  { look, requested, slice }: Walk,
  start: number,
  end: number,
  visit: (posting: PostingRow) => void,
): Promise<void> {
  for (let offset = start; offset < end; offset += AT_ONCE) {
    if (slice.over) await slice.next()
    const limit = Math.min(AT_ONCE, end - offset)
    for (const posting of look.rows.walk('postings', 'account', requested.account, { offset, limit }))
      visit(posting)
  }
}

async function viewOf({ requested, period, totals, lines, next_after }: Statement, slice: TimeSlice) {
  const { account_id, wallet, currency, from, to } = requested
  const major = (minor: number) => toMajor(minor, currency)
  return {
    account_id,
    wallet,
    currency,
    from: from === undefined ? null : wireTime(from),
    to: to === undefined ? null : wireTime(to),
    opening_balance: major(period.opening),
    closing_balance: major(period.closing),
    totals: {
      lines: totals.lines,
      paid_in: major(totals.paid_in),
      paid_out: major(totals.paid_out),
      charges: major(totals.charges),
    },
    carried_forward: period.carried
      ? { balance: major(period.carried.amount), through: wireTime(period.carried.through) }
      : null,
    lines: await mapInSlices(lines, slice, (line) => ({
      ...factsOf(line),
      posting: line.posting.id,
      amount: major(line.amount),
      charge: major(line.charge),
      balance: major(line.balance),
    })),
    next_after,
  }
}

/** A line without its amounts. Empty values are null. */
const factsOf = ({ posting, transaction }: Line) => ({
  time: wireTime(posting.at),
  kind: posting.kind,
  reference: transaction?.reference ?? null,
  external_reference: transaction?.external_reference || null,
  provider_reference: transaction?.provider_reference || null,
  counterparty: transaction?.party || null,
  network: (transaction && networkOf(transaction)?.name) ?? null,
})

const FACTS = [
  'time',
  'kind',
  'reference',
  'external_reference',
  'provider_reference',
  'counterparty',
  'network',
] as const
const HEAD = [...FACTS, 'currency', 'amount', 'charge', 'balance', 'posting']

function tableOf({ requested: { currency }, period, lines, first, next_after }: Statement): string {
  const major = (minor: number) => toMajor(minor, currency)
  const bound = (kind: string, balance: number) =>
    HEAD.map(
      (name) =>
        ({ kind, currency, balance: major(balance) } as Partial<Record<string, string | number>>)[name],
    )
  const rows = lines.map((line) => {
    const facts = factsOf(line)
    const { amount, charge, balance, posting } = line
    const cells = [currency, major(amount), major(charge), major(balance), posting.id]
    return [...FACTS.map((name) => facts[name]), ...cells]
  })
  return csvText(HEAD, [
    ...(first ? [bound('opening_balance', period.opening)] : []),
    ...rows,
    ...(next_after === null ? [bound('closing_balance', period.closing)] : []),
  ])
}
