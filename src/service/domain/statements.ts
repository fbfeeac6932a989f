import { boundedTime } from '../../lib/clock/bounds.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { countries, utcOffset } from './countries/countries.ts'
import { Faults, invalid, noneLeft } from './errors.ts'
import type { GetStatementQuery } from '../../generated/control/requests.ts'
import { amountIn } from '../../storage/store/posting-lines.ts'
import type { PostingRow, TransactionRow } from '../../storage/store/payment-rows.ts'
import { requireTeam } from './access.ts'
import type { Caller, Look } from './context.ts'
import { teamAccount } from './ledger.ts'
import { currencies, minorUnit } from './money.ts'
import { archivedIn } from './archive.ts'

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i

/**
 * A bound of a period, milliseconds: a day begins at midnight in the Team's country. Undefined when it was left out or is at fault.
 */
export function readTime(
  faults: Faults,
  field: string,
  text: string | undefined,
  team: TeamRow,
): number | undefined {
  if (text === undefined) return undefined
  // A plus sign of an offset that was not encoded arrives as a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+')
  const day = DAY.test(time)
  const at = day || TIME.test(time) ? Date.parse(day ? `${time}T00:00:00Z` : time) : Number.NaN
  // Of the 31st of June some make the 1st of July.
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

/** A Team that was made without a phone has a currency alone. */
const countryOf = ({ country, currency }: TeamRow): string =>
  country || (countries.find((each) => each.currency === currency)?.code ?? '')

/** What moved a wallet of a Team in a period, as a bank tells it; and how a statement is wrong on purpose. */

/** What a statement is asked of. */
export interface StatementScope {
  readonly account_id: number
  readonly wallet: GetStatementQuery['wallet']
  readonly currency: string
  /** The account of the ledger. */
  readonly account: string
  /** Milliseconds; undefined for all that is kept. */
  readonly from: number | undefined
  /** Milliseconds, which do not belong to it any more; undefined for up to now. */
  readonly to: number | undefined
}

/**
 * Reads what a statement is asked of. Days are those of the Team's country.
 * @throws ServiceError 404 for a Team that the caller does not see, 400 for a currency that is not served and a period that is none
 */
export function readStatement(
  look: Look,
  caller: Caller,
  query: Omit<GetStatementQuery, 'after' | 'limit' | 'format'>,
): StatementScope {
  const { account_id, wallet, currency: asked, from: first, to: last, ...rest } = query
  noneLeft(rest)
  const team = requireTeam(look, caller, account_id, 'read')
  const currency = asked ?? team.currency
  const faults = new Faults()
  if (!currencies.includes(currency)) faults.refuseWord('currency', currency, currencies)
  const from = readTime(faults, 'from', first, team)
  const to = readTime(faults, 'to', last, team)
  if (from !== undefined && to !== undefined && to <= from)
    faults.refuse('to', last, `must be later than from, which is ${first}`)
  faults.throwAny()
  return { account_id: team.id, wallet, currency, account: teamAccount(team.id, wallet, currency), from, to }
}

/** Where a period stands among the postings of its account, and what the account held before and after it; minor units. */
export interface Period {
  /** How many postings come before it. */
  readonly first: number
  /** How many come before its end. */
  readonly end: number
  readonly opening: number
  readonly closing: number
  /** What postings come to that are kept no longer, where that concerns the period. */
  readonly carried: { readonly amount: number; readonly through: number } | undefined
}

/** Looks a period up. What is kept no longer counts as from before all that is. */
export function periodOf(look: Look, { account, from, to }: StatementScope): Period {
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
 * Where a period goes on behind the line of a posting: how many postings come before, and what the account held then.
 * @throws ServiceError 400 when that has no line in the period
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

/** A movement as a statement tells it, minor units; amount less charge is what the posting did to the wallet. */
export interface Line {
  readonly posting: PostingRow
  readonly transaction: TransactionRow | undefined
  readonly amount: number
  readonly charge: number
}

/** The lines that tell of a posting: one, unless a scenario has made the statement wrong. */
export function linesFor(
  look: Look,
  { account, wallet, currency }: StatementScope,
  posting: PostingRow,
): Line[] {
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

/** What of a posting is the cost of its transaction: it is taken when money is set aside or comes in, and given back with it. */
function chargeIn({ kind }: PostingRow, { cost }: TransactionRow): number {
  if (kind === 'reserve' || kind === 'collection') return cost
  return kind === 'release' || kind === 'reversal' ? -cost : 0
}
