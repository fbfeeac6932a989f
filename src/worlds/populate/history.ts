/** Generates payments over days: accepted, settled, and occasionally reversed. */
import type { TimeSlice } from '../../lib/clock/clock.ts'
import { teamsOf } from '../../service/domain/access.ts'
import type { Caller, Tx } from '../../service/domain/context.ts'
import { invalid, ServiceError } from '../../service/domain/errors.ts'
import { fundTeam } from '../../service/domain/funding.ts'
import { balanceOf, teamAccount } from '../../service/domain/ledger.ts'
import { fromShillings, toMajor } from '../../service/domain/money.ts'
import { countryByCode, utcOffset } from '../../service/domain/countries/countries.ts'
import { drawnTime, fieldOutcome } from '../../service/domain/realism/field.ts'
import { reverseTransaction } from '../../service/domain/reversals.ts'
import { settle } from '../../service/domain/transactions.ts'
import type { Rail, Reason } from '../../service/vocabulary/rails.ts'
import type { CardAttempt, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import { type Amounts, type Draw, price, type Scratch, timesBetween } from './draw.ts'
import { type PlannedPayment, pay } from './payments.ts'

interface History {
  readonly scratch: Scratch
  readonly draw: Draw
  readonly caller: Caller
  readonly slice: TimeSlice
  readonly from: number
  readonly to: number
  /** Called regularly. @throws if the world exceeds its memory limit */
  readonly check: () => void
}

/** A pending step of a payment. */
interface PendingStep {
  readonly at: number
  readonly id: number
  readonly then: 'settle' | 'reverse'
}

const SECOND = 1_000
const DAY = 86_400_000
/** No payments start in this time before the world begins, so that all of them have ended. */
const QUIET = 900 * SECOND
/** Number of tries with another Team or a lower amount after a rejected payment. */
const TRIES = 12

/** @throws ServiceError 400 if the limits of the Teams do not allow that many payments */
export async function makeHistory(history: History, ids: readonly number[], options: Amounts): Promise<void> {
  const { scratch, draw, slice, from, to, check } = history
  const { transactions } = options
  if (transactions === 0) return
  const teams = scratch.change(to, (tx) => ableTeams(tx, history.caller, ids))
  if (teams.length === 0)
    throw invalid(
      `populate.transactions must be 0 if no Team may collect and pay out, got ${transactions}; add a Team with populate.teams`,
    )
  const scale = scaleFor(options, teams.length)
  const times = timesBetween(from, to - QUIET, transactions, (n) => draw.fraction('time', n))
    .map((at, n) => [atHome(history, teams, n, at), n] as const)
    .toSorted(([a], [b]) => a - b)
  const later: PendingStep[] = []
  const counts = new Map<string, number>()
  for (const [made, [at, n]] of times.entries()) {
    if (slice.over) await slice.next()
    if (made % 256 === 0) check()
    runUntil(history, later, at)
    const row = request(history, { teams, n, at, scale, counts })
    if (!row) throw tooMany(options, made)
    addLater(later, { at: endOf(history, row), id: row.id, then: 'settle' })
  }
  runUntil(history, later, to)
  check()
}

/** Teams of the caller that may do both; of those that are there already when none was made. */
function ableTeams(tx: Tx, { user_id }: Caller, ids: readonly number[]): readonly TeamRow[] {
  const { tiers } = tx.settings
  return teamsOf(tx, user_id)
    .map(({ team }) => team)
    .filter(({ id, kyc_tier }) => {
      const tier = tiers[kyc_tier] ?? tiers.at(-1)!
      return (ids.length === 0 || ids.includes(id)) && tier.wallet_collections_allowed && tier.payouts_allowed
    })
}

/** By how much amounts are smaller than usual, so that the limits of a day leave room for all. */
function scaleFor({ transactions, days }: Amounts, teams: number): number {
  const busiest = (transactions / days / teams) * 3
  return Math.min(1, 150_000 / (busiest * 4_000))
}

function tooMany({ transactions, teams, days }: Amounts, made: number): ServiceError {
  return invalid(
    `populate.transactions must be fewer where ${teams} Teams have ${days} days, got ${transactions}: the limits a day of their KYC tiers left room for ${made}; ask for more Teams or days`,
  )
}

/** Returns the position of the Team of a payment: the first ones have the most business. */
const placeOf = (draw: Draw, n: number, teams: readonly TeamRow[]): number =>
  Math.floor(draw.fraction('team', n) ** 1.6 * teams.length)

/** Moves a time of Nairobi to the same hour in the Team's country, within the history. */
function atHome({ draw, from, to }: History, teams: readonly TeamRow[], n: number, at: number): number {
  const { country } = teams[placeOf(draw, n, teams)]!
  const moved = at + utcOffset('KE') - utcOffset(country)
  return Math.max(from, moved > to - QUIET ? moved - DAY : moved)
}

interface Requested {
  readonly teams: readonly TeamRow[]
  readonly n: number
  readonly at: number
  readonly scale: number
  /** The last number of each Team's references. */
  readonly counts: Map<string, number>
}

/** Sends a request for one of the Teams; what the rules refuse is tried with another Team, then with less. */
function request({ scratch, draw, caller }: History, requested: Requested): TransactionRow | undefined {
  const { teams, n, at, scale, counts } = requested
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const team = teams[(placeOf(draw, n, teams) + attempt) % teams.length]!
    try {
      return scratch.change(at, (tx) => {
        const asked = askedOf(tx, draw, team, n, scale / (1 + attempt), counts)
        topUp(tx, caller, asked)
        const row = pay(tx, caller, draw, asked)
        counts.set(`${team.id} ${asked.direction}`, numberOf(draw, asked, counts))
        return row
      })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }
  return undefined
}

/** How shops name orders and payouts; each Team has its own style and counts its own. */
const styles = {
  payin: ['ORD-', 'INV-', 'BK', 'SO-', 'TXN', ''],
  payout: ['PAY-', 'SAL-', 'SUP-', 'WD', 'REF-', 'PO'],
} as const

type Numbered = Pick<PlannedPayment, 'team' | 'direction' | 'n'>

function numberOf(draw: Draw, { team, direction, n }: Numbered, counts: ReadonlyMap<string, number>): number {
  const last = counts.get(`${team.id} ${direction}`) ?? 100 + draw.below(`first ${direction}`, team.id, 9_000)
  // Some orders are never paid.
  return last + (draw.fraction('unpaid', n) < 0.15 ? 2 : 1)
}

function referenceOf(draw: Draw, asked: Numbered, counts: ReadonlyMap<string, number>): string {
  const list = styles[asked.direction]
  // Neighbours differ.
  const style = list[(asked.team.id + draw.below(`style ${asked.direction}`, 0, list.length)) % list.length]!
  return `${style}${String(numberOf(draw, asked, counts)).padStart(style === '' ? 8 : 5, '0')}`
}

type Usage = {
  readonly [How in Rail | 'channel']: {
    /** The relative number of pay-ins. */
    readonly share: number
    /** How much larger amounts are than at a phone. */
    readonly larger: number
    /** The relative number of payouts. */
    readonly payouts: number
  }
}

const usage: Usage = {
  momo: { share: 62, larger: 1, payouts: 85 },
  channel: { share: 22, larger: 1, payouts: 0 },
  card: { share: 10, larger: 1.8, payouts: 0 },
  bank: { share: 6, larger: 5, payouts: 15 },
}
/** Nigerians pay by instant bank transfer and by card (assumed). */
const nigeria: Usage = {
  momo: { share: 24, larger: 1, payouts: 30 },
  channel: { share: 0, larger: 1, payouts: 0 },
  card: { share: 20, larger: 1.6, payouts: 0 },
  bank: { share: 56, larger: 1.3, payouts: 70 },
}

const drawnFrom = (of: Usage, what: 'share' | 'payouts') =>
  Object.entries(of).map(([how, each]) => [how as keyof Usage, each[what]] as const)

function askedOf(
  tx: Tx,
  draw: Draw,
  team: TeamRow,
  n: number,
  scale: number,
  counts: ReadonlyMap<string, number>,
): PlannedPayment {
  const { currency } = team
  const wallet = balanceOf(tx, teamAccount(team.id, 'wallet', currency))
  const wanted = draw.fraction('direction', n) < 0.27
  const used = team.country === 'NG' ? nigeria : usage
  const paidOut = draw.weighted('rail', n, drawnFrom(used, 'payouts'))
  const usual = Math.max(20, shillingsOf(draw, n) * scale)
  const affordable = wallet > 3 * fromShillings(used[paidOut].larger * usual + 100, currency)
  const payout = wanted && affordable
  const direction = payout ? 'payout' : 'payin'
  const how = payout ? paidOut : draw.weighted('rail', n, drawnFrom(used, 'share'))
  const channel =
    how === 'channel'
      ? tx.rows.find('channels', 'account', team.id).find((each) => each.is_active)
      : undefined
  // Shops of Kenya have no cents.
  const coin = Math.max(currency === 'KES' ? 1 : 0, countryByCode(team.country)?.coin ?? 1)
  return {
    team,
    direction,
    rail: how === 'channel' ? 'momo' : how,
    channel_id: channel?.id,
    amount: price(draw, n, toMajor(fromShillings(used[how].larger * usual, currency), currency), coin),
    reference: referenceOf(draw, { team, direction, n }, counts),
    n,
  }
}

/** Returns an amount in shillings: mostly some hundreds, sometimes large. */
function shillingsOf(draw: Draw, n: number): number {
  const middle =
    draw.fraction('amount', n) + draw.fraction('amount 2', n) + draw.fraction('amount 3', n) - 1.5
  return Math.min(70_000, Math.exp(6.9 + 2.2 * middle))
}

/** Tops up the service wallet, which pays the cost of collections into channels, when it is nearly empty. */
function topUp(tx: Tx, caller: Caller, { team: { id, currency }, channel_id }: PlannedPayment): void {
  if (channel_id === undefined) return
  const held = balanceOf(tx, teamAccount(id, 'service_wallet', currency))
  if (held >= fromShillings(100, currency)) return
  const amount = Math.round(toMajor(fromShillings(5_000, currency), currency))
  fundTeam(tx, caller, id, { wallet: 'service_wallet', amount })
}

/** Returns when a payment ends, before the history does. */
function endOf({ scratch, to }: History, row: TransactionRow): number {
  const { random } = scratch
  const after = fieldOutcome(random, row, row.created_at)?.after
  return Math.min(to, row.created_at + (after ?? drawnTime({ kind: 'realistic' }, row, random)))
}

/** Inserts a step in order of time. Most steps belong near the end. */
function addLater(later: PendingStep[], event: PendingStep): void {
  let place = later.length
  while (place > 0 && later[place - 1]!.at > event.at) place -= 1
  later.splice(place, 0, event)
}

function runUntil({ scratch, draw, to }: History, later: PendingStep[], until: number): void {
  let done = 0
  while (done < later.length && later[done]!.at <= until) {
    const { at, id, then } = later[done]!
    done += 1
    const ended = scratch.change(at, (tx) => (then === 'settle' ? end(tx, id) : takeBack(tx, id)))
    const reversedAt = at + 600 * SECOND + draw.below('reversed after', id, 7_200) * SECOND
    if (ended && draw.fraction('reversed', id) < 0.006 && reversedAt < to)
      addLater(later, { at: reversedAt, id, then: 'reverse' })
  }
  later.splice(0, done)
}

/** @returns whether it succeeded */
function end(tx: Tx, id: number): boolean {
  const row = tx.rows.get('transactions', id)!
  const reason = fieldOutcome(tx.random, row, row.created_at)?.reason ?? null
  settle(tx, id, reason === null ? 'SUCCESS' : 'FAILED', reason)
  if (row.rail === 'card')
    tx.rows.put('transactions', {
      ...tx.rows.get('transactions', id)!,
      cards: [triedCard(tx.now, row, reason)],
    })
  return reason === null
}

const triedCard = (at: number, { party, network }: TransactionRow, reason: Reason | null): CardAttempt => ({
  at,
  brand: network ?? 'Card',
  last4: party.slice(-4),
  outcome: reason === null ? 'approved' : reason === 'not_authenticated' ? 'challenged' : 'declined',
  reason,
})

/** Reverses a payment, unless the money is no longer in the wallet. */
function takeBack(tx: Tx, id: number): boolean {
  const row = tx.rows.get('transactions', id)
  try {
    if (row) reverseTransaction(tx, row)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
  return false
}
