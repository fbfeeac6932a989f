/** Statements: the movements of a Team's wallet in a period, and errors that scenarios add to them. */
import { boundedTime } from '../../lib/clock/clock.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { countries, utcOffset } from './countries/countries.ts'
import { Faults, invalid, noneLeft } from './errors.ts'
import type { Requests } from '../../generated/control/requests.ts'
import { amountIn } from '../../storage/store/tables.ts'
import type { PostingRow, TransactionRow } from '../../storage/store/payment-rows.ts'
import { requireTeam } from './access.ts'
import type { Caller, Look } from './context.ts'
import { atHome } from './wallets.ts'
import { teamAccount } from './ledger.ts'
import { currencies, minorUnit } from './money.ts'
import { archivedIn } from './archive.ts'

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i

/**
 * Reads a bound of a period, milliseconds; days begin at midnight in the Team's country. Undefined if it is missing or
 * invalid.
 */
export function readTime(
  faults: Faults,
  field: string,
  text: string | undefined,
  team: TeamRow,
): number | undefined {
  if (text === undefined) return undefined
  // An unencoded plus sign of an offset arrives as a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+')
  const day = DAY.test(time)
  const at = day || TIME.test(time) ? Date.parse(day ? `${time}T00:00:00Z` : time) : Number.NaN
  // Date.parse turns 31 June into 1 July.
  if (!Number.isNaN(at) && isInMonth(time)) return boundedTime(day ? at - utcOffset(countryOf(team)) : at)
  faults.refuse(
    field,
    text,
    'must be a day such as 2026-06-13, or a time with its offset such as 2026-06-13T12:00:00Z',
  )
  return undefined
}

function isInMonth(time: string): boolean {
  const [year, month, day] = time.slice(0, 10).split('-').map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** A Team without a phone has only a currency. */
const countryOf = ({ country, currency }: TeamRow): string =>
  country || (countries.find((each) => each.currency === currency)?.code ?? '')

export type StatementScope = ReturnType<typeof readStatement>

/**
 * Reads the scope of a statement: an account of the ledger, and the period from `from` until before `to`, milliseconds.
 * Days are those of the Team's country.
 * @throws {ServiceError} 404 if the caller cannot see the Team, 400 for a currency that is not served or an invalid
 * period
 */
export function readStatement(
  look: Look,
  caller: Caller,
  query: Omit<Requests['getStatement']['query'], 'after' | 'limit' | 'format'>,
) {
  const { account_id, wallet, currency: requested, from: first, to: last, ...rest } = query
  noneLeft(rest)
  const team = requireTeam(look, caller, account_id, 'read')
  const currency = requested ?? team.currency
  const faults = new Faults()
  if (!currencies.includes(currency)) faults.refuseWord('currency', currency, currencies)
  const from = readTime(faults, 'from', first, team)
  const to = readTime(faults, 'to', last, team)
  if (from !== undefined && to !== undefined && to <= from)
    faults.refuse('to', last, `must be later than from, which is ${first}`)
  faults.throwAny()
  return { account_id: team.id, wallet, currency, account: teamAccount(team.id, wallet, currency), from, to }
}

export type Period = ReturnType<typeof periodOf>

/**
 * Returns how many postings of the account come before a period and before its end, the balances at both times, and the
 * sum of archived postings if it affects the period. Archived postings count as earlier than all others.
 */
export function periodOf(look: Look, { account, from, to }: StatementScope) {
  const carried = carriedIn(look, account)
  const before = (at: number | undefined, otherwise: number) =>
    look.rows.rank('postings', 'account', account, { by: at ?? otherwise })
  const first = before(from, -Infinity)
  const end = before(to, Infinity)
  const archived = look.rows.get('carried', account) && archivedIn(look)
  const concerned = archived && (from === undefined || from <= archived.through)
  return {
    first: first.count,
    end: end.count,
    opening: carried + first.sum,
    closing: carried + end.sum,
    carried: concerned ? { amount: carried, through: archived.through } : undefined,
  }
}

/**
 * Returns the position after a posting: the number of postings before it, and the balance.
 * @throws {ServiceError} 400 if the period has no such line
 */
export function placeAfter(look: Look, { account }: StatementScope, period: Period, after: number) {
  const posting = look.rows.get('postings', after)
  const place = posting && { by: posting.at, key: after }
  const { count, sum } = place ? look.rows.rank('postings', 'account', account, place) : { count: -1, sum: 0 }
  const [found] =
    count < period.first || count >= period.end
      ? []
      : look.rows.walk('postings', 'account', account, { offset: count, limit: 1 })
  if (found?.id !== after)
    throw invalid(
      `after must be the posting of a line in this period, such as the last next_after, got ${after}`,
    )
  return { offset: count + 1, balance: carriedIn(look, account) + sum + amountIn(found, account) }
}

const carriedIn = ({ rows }: Look, account: string) => rows.get('carried', account)?.amount ?? 0

export type Line = ReturnType<typeof linesFor>[number]

/**
 * Returns the lines of a posting: one, unless a scenario makes the statement wrong. `amount` minus `charge` is the change
 * of the wallet, in minor units.
 */
export function linesFor(look: Look, { account, wallet, currency }: StatementScope, posting: PostingRow) {
  const { transaction_id: id } = posting
  const transaction = id === null ? undefined : look.rows.get('transactions', id)
  const charge = transaction && wallet !== 'savings' ? chargeIn(posting, transaction) : 0
  const line = { posting, transaction, amount: amountIn(posting, account) + charge, charge }
  switch (transaction?.plan?.statement) {
    case undefined:
      return [line]
    case 'line-missing':
      return []
    case 'line-twice':
      return [line, line]
    case 'other-amount':
      return [{ ...line, amount: line.amount + (line.amount < 0 ? -1 : 1) * minorUnit(currency) }]
  }
}

/**
 * Returns the part of a posting that is its transaction's cost, which is taken when money is reserved or arrives, and
 * returned with it.
 */
function chargeIn({ kind }: PostingRow, row: TransactionRow): number {
  const { cost } = atHome(row)
  if (kind === 'reserve' || kind === 'collection') return cost
  return kind === 'release' || kind === 'reversal' ? -cost : 0
}
