import { handlers, cut, MOST_LOOKED_AT, pageOf, ok } from './page.ts'
import type { LedgerLine } from '../generated/control/types.ts'
import { timeSlice, mapInSlices, sliceOf, type TimeSlice } from '../lib/clock/clock.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { teamsOf } from '../service/domain/access.ts'
import { archivedIn } from '../service/domain/archive.ts'
import type { Look } from '../service/domain/context.ts'
import { invalid, notFound } from '../service/domain/errors.ts'
import { feesAccount, outsideAccount, pots, teamAccount } from '../service/domain/ledger.ts'
import { currencies, toMajor } from '../service/domain/money.ts'
import { networkOf } from '../service/domain/countries/networks.ts'
import { findTransaction } from '../service/domain/transactions.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import type { BalanceRow, PostingRow } from '../storage/store/payment-rows.ts'
import { amountIn, linesOf, type PostingLine, statedAccounts } from '../storage/store/tables.ts'
import type { TeamRow } from '../storage/store/rows.ts'
import type { Added, Mark } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import {
  type StatementScope,
  type Line,
  linesFor,
  type Period,
  periodOf,
  placeAfter,
  readStatement,
} from '../service/domain/statements.ts'
import { listIn } from '../http/handler.ts'
import { csvText } from '../lib/text/csv.ts'

export const ledger = handlers(() => ({
  async getLedger({ world, caller, request }) {
    const { transaction, account, before, limit = 100 } = request.query
    const { to_prove, named, ...answer } = await world.readInSlices(async (look) => {
      const teams = teamsOf(look, caller.user_id)
      if (teams.length === 0) throw notFound('a Team of user', caller.user_id)
      const own = teams.map(({ team }) => team)
      const named = account === undefined ? undefined : balanceNamed(look, own, account)
      const about = transaction === undefined ? undefined : findTransaction(look, caller, transaction)
      const isMeant = (row: PostingRow) => !named || row.lines.includes(named.account)
      const page = about
        ? cut(postingsOf(look, about.id, before).filter(isMeant), limit)
        : await pageOf(look, world.name, 'postings', { before, limit, most: MOST_LOOKED_AT }, isMeant)
      return {
        to_prove: toProve(world, look),
        named,
        carried_forward: carriedView(look),
        postings: page.rows.map((row) => postingView(look, row, named?.account)),
        next_before: page.next_before,
      }
    })
    const balances = (named ? [named] : to_prove.balances).map(balanceView)
    return ok({ ...(await prove(world, to_prove)), balances, ...answer })
  },
}))

function postingsOf({ rows }: Look, transaction_id: number, before = Infinity) {
  const all = rows.find('postings', 'transaction', transaction_id)
  return all.filter(({ id }) => id < before).toSorted((a, b) => b.id - a.id)
}

function carriedView(look: Look) {
  const folded = archivedIn(look)
  if (!folded) return null
  const { transactions, postings, through } = folded
  return {
    transactions,
    postings,
    through: wireTime(through),
    balances: look.rows.all('carried').map(balanceView),
  }
}

/** Parses an account such as `team:63:wallet:KES`, `fees:KES` or `outside:KES`. */
function partsOf(account: string) {
  const [kind = '', id, pot] = account.split(':')
  const wallet = (kind === 'team' ? pot : kind) as LedgerLine['wallet']
  return { team: kind === 'team' ? Number(id) : null, wallet }
}

const balanceView = ({ account, currency, amount }: BalanceRow) => ({
  account,
  ...partsOf(account),
  currency,
  balance: toMajor(amount, currency),
  minor: amount,
})

/** Returns the balance of a Team's account after a posting. */
function balanceAfter({ rows }: Look, row: PostingRow, account: string): number {
  const { sum } = rows.rank('postings', 'account', account, { by: row.at, key: row.id })
  return (rows.get('carried', account)?.amount ?? 0) + sum + amountIn(row, account)
}

function postingView(look: Look, row: PostingRow, account: string | undefined) {
  const transaction =
    row.transaction_id === null ? undefined : look.rows.get('transactions', row.transaction_id)
  return {
    id: row.id,
    at: wireTime(row.at),
    kind: row.kind,
    currency: row.currency,
    transaction: transaction?.reference ?? null,
    ...(account !== undefined &&
      statedAccounts(row).includes(account) && {
        balance: toMajor(balanceAfter(look, row, account), row.currency),
      }),
    lines: linesOf(row).map(({ account, amount }) => ({
      account,
      ...partsOf(account),
      currency: row.currency,
      amount: toMajor(amount, row.currency),
      minor: amount,
    })),
  }
}

/**
 * Returns the balance of an account. Without a currency, the account means the one in the Team's currency, or
 * the only one that exists. An account without postings has a balance of 0.
 * @param teams - the caller's Teams
 * @throws {ServiceError} 400 naming the nearest account, or all that the name may mean
 */
function balanceNamed({ rows }: Look, teams: readonly TeamRow[], name: string): BalanceRow {
  const exact = rows.get('balances', name)
  if (exact) return exact
  const bare = baseOf(name)
  const team = teams.find(({ id }) => pots.some((pot) => bare === `team:${id}:${pot}`))
  const exists = team !== undefined || SHARED.includes(bare)
  const currency = name.slice(bare.length + 1)
  if (exists && currencies.includes(currency)) return { account: name, currency, amount: 0 }
  if (exists && currency === '') {
    const held = currencies.flatMap((each) => rows.get('balances', `${bare}:${each}`) ?? [])
    const own = (team ?? teams[0])!.currency
    const nothing = { account: `${bare}:${own}`, currency: own, amount: 0 }
    if (held.length <= 1) return held[0] ?? nothing
    if (team) return held.find((each) => each.currency === own) ?? nothing
    throw invalid(`account ${name} exists in several currencies: ${listed(held)}`)
  }
  const known = [...rows.all('balances').map(({ account }) => account), ...teams.flatMap(accountsOf)]
  throw invalid(`account "${name}" does not exist${didYouMean(name, known) || FORMS}`)
}

/** The accounts that no Team owns, without their currency. */
const SHARED = ['fees', 'outside', 'exchange', 'exchange_difference']

const FORMS = '; valid accounts are, for example, team:63:wallet:KES, fees:KES and outside:KES'

/** Removes the currency from an account. */
const baseOf = (name: string) =>
  name.replace(/^(fees|outside|exchange|exchange_difference|team:\d+:\w+):.*$/s, '$1')

const accountsOf = ({ id, currency }: TeamRow): readonly string[] => [
  ...pots.map((pot) => teamAccount(id, pot, currency)),
  ...pots.map((pot) => `team:${id}:${pot}`),
  feesAccount(currency),
  outsideAccount(currency),
  ...SHARED,
]

const listed = (held: readonly BalanceRow[]) => held.map(({ account }) => account).join(', ')

/** Sums of the postings up to a mark. Postings never change, so they are summed only once. */
interface Summed {
  readonly mark: Mark
  readonly sums: ReadonlyMap<string, number>
  /** Whether the lines of every posting sum to zero. */
  readonly zero: boolean
  readonly count: number
}

const summed = new WeakMap<World, Summed>()

/** The postings to sum and the balances to compare, read at the same moment. */
interface ToProve {
  readonly before: Summed | undefined
  readonly added: Added<PostingRow>
  /**
   * Sums of the archived postings. When they change, postings have been archived, and everything is summed
   * again.
   */
  readonly carried_forward: readonly BalanceRow[]
  readonly balances: readonly BalanceRow[]
}

function toProve(world: World, { rows }: Look): ToProve {
  const known = summed.get(world)
  const added = rows.since('postings', known?.mark)
  const before = added.anew ? undefined : known
  return { before, added, carried_forward: rows.all('carried'), balances: rows.all('balances') }
}

/**
 * Checks that every posting sums to zero and every account to its balance. Sums are cached between calls; new
 * postings are added in time slices.
 */
async function prove(world: World, { before, added, carried_forward, balances }: ToProve) {
  const sums = new Map(before?.sums)
  let zero = before?.zero ?? true
  const add = (lines: readonly PostingLine[]) => {
    let total = 0
    for (const { account, amount } of lines) {
      total += amount
      sums.set(account, (sums.get(account) ?? 0) + amount)
    }
    zero &&= total === 0
  }
  if (!before)
    for (const currency of new Set(carried_forward.map((row) => row.currency)))
      add(carried_forward.filter((row) => row.currency === currency))
  const slice = await timeSlice(world.name)
  for (const posting of added.rows) {
    if (slice.over) await slice.next()
    add(linesOf(posting))
  }
  const count = (before?.count ?? 0) + added.rows.length
  summed.set(world, { mark: added.mark, sums, zero, count })
  const agree =
    balances.length === sums.size && balances.every((balance) => sums.get(balance.account) === balance.amount)
  return { balanced: zero && agree, checked_postings: count }
}

export const statements = handlers(() => ({
  async getStatement(call) {
    const { world, caller, request } = call
    const { after, limit, format, ...query } = request.query
    const statement = await world.readInSlices(async (look) => {
      const requested = readStatement(look, caller, query)
      const walk = { look, requested, period: periodOf(look, requested), slice: sliceOf(world.name) }
      return { ...walk, ...(await linesAfter(walk, after, limit)), totals: await totalsOf(walk) }
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

async function linesAfter(walk: Walk, after: number | undefined, limit: number): Promise<Page> {
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
