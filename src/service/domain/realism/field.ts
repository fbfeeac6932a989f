/**
 * What happens in the field to payments that no scenario decides: failures by rail, outages of networks, batches of
 * banks, and callbacks that are late or repeated. All figures are assumed; the world's seed determines every draw.
 */
import type { Random } from '../../../lib/random/random.ts'
import type { TransactionRow, Draft } from '../../../storage/store/payment-rows.ts'
import type { CallbackPlan, Plan } from '../../vocabulary/outcome.ts'
import { type Rail, rails, isOfPhone, type Reason } from '../../vocabulary/rails.ts'
import type { SettleSpread } from '../../vocabulary/settle-after.ts'
import { utcOffset, countryByCode, isKeptForScenarios } from '../countries/countries.ts'
import { networkOf, isOfAnother, operatorOf } from '../countries/networks.ts'
import type { Direction } from '../../vocabulary/terms.ts'
import type { Tx } from '../context.ts'
import { toMinor } from '../money.ts'
import { isWithoutPrompt, PROMPT_LASTS } from '../prompts.ts'
import { type Clearing, keptEnding, type NetworkFacts } from '../countries/country.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

interface Failures {
  /** The share of payments that fail. */
  readonly rate: number
  /** Relative numbers of failures. */
  readonly reasons: { readonly [R in Reason]?: number }
}

const failures: { readonly [R in Rail]: { readonly [D in Direction]: Failures } } = {
  momo: {
    payin: {
      rate: 0.13,
      reasons: {
        cancelled: 34,
        unreachable: 24,
        insufficient_funds: 20,
        wrong_pin: 8,
        expired: 6,
        prompt_not_sent: 3,
        subscriber_locked: 3,
        daily_limit: 1,
        operator_error: 1,
      },
    },
    payout: {
      rate: 0.04,
      reasons: {
        not_registered: 34,
        recipient_limit: 26,
        recipient_not_found: 20,
        operator_error: 12,
        operator_busy: 8,
      },
    },
  },
  bank: {
    payin: { rate: 0.09, reasons: { expired: 50, insufficient_funds: 40, operator_error: 10 } },
    payout: {
      rate: 0.05,
      reasons: { account_not_found: 44, account_closed: 14, name_mismatch: 24, operator_error: 18 },
    },
  },
  card: {
    payin: {
      rate: 0.17,
      reasons: {
        insufficient_funds: 34,
        card_declined: 24,
        not_authenticated: 18,
        incorrect_cvc: 8,
        card_limit: 6,
        card_expired: 5,
        issuer_unavailable: 4,
        fraud_suspected: 1,
      },
    },
    payout: { rate: 0, reasons: {} },
  },
}

/** Banks work from Monday to Friday from nine in their country's time, except on public holidays (assumed). */
const OPENS = 9 * 3_600_000
/** 1 January 1970 was a Thursday; Monday is 0. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7
const FIRST_OF_WEEKEND = 5

/** Returns the day of Easter Sunday, days since 1970 (the algorithm of Gauss for the Gregorian calendar until 2199). */
function easterOf(year: number): number {
  const [a, b, c] = [year % 19, year % 4, year % 7]
  const [m, n] = year < 2100 ? [24, 5] : [24, 6]
  const d = (19 * a + m) % 30
  const e = (2 * b + 4 * c + 6 * d + n) % 7
  const march = 22 + d + e
  const late = (d === 29 && e === 6) || (d === 28 && e === 6 && a > 10)
  return Date.UTC(year, 2, late ? march - 7 : march) / DAY
}

/** Good Friday and Easter Monday, relative to Easter Sunday; all countries observe both. */
const EASTER = [-2, 1]

function isClosed(day: number, country: string): boolean {
  if (weekdayOf(day) >= FIRST_OF_WEEKEND) return true
  const date = new Date(day * DAY)
  const holidays = countryByCode(country)?.holidays ?? ''
  return (
    holidays.includes(date.toISOString().slice(5, 10)) ||
    EASTER.includes(day - easterOf(date.getUTCFullYear()))
  )
}

/**
 * Returns a time, or the opening on the next working day if it is on a weekend or a holiday.
 * @param at - milliseconds
 */
export function onBankingDay(at: number, country: string): number {
  const offset = utcOffset(country)
  const first = Math.floor((at + offset) / DAY)
  let day = first
  while (isClosed(day, country)) day += 1
  return day === first ? at : day * DAY + OPENS - offset
}

/** The sigma of `lognormal`: two thirds of all draws are between 0.6 and 1.65 times the median. */
const SIGMA = 0.5
/** Limits draws to between a fifth of the median and four and a half times it. */
const FURTHEST = 3

/**
 * Draws a transaction's settlement time from the world's seed, milliseconds; the same transaction always gets the same
 * time.
 */
export function drawnTime(
  spread: SettleSpread,
  { id, rail, direction }: Pick<TransactionRow, 'id' | 'rail' | 'direction'>,
  random: Random,
): number {
  if (spread.kind === 'uniform')
    return Math.round(spread.least + random.fraction('settle', id) * (spread.most - spread.least))
  const median = spread.kind === 'lognormal' ? spread.median : rails[rail].settles_after[direction]
  return lognormal(random, 'settle', id, median, SIGMA)
}

/** Draws an observed settlement time, milliseconds. */
export function observedTime(
  { median, p95 }: { readonly median: number; readonly p95: number },
  { id }: Pick<TransactionRow, 'id'>,
  random: Random,
): number {
  return lognormal(random, 'settle', id, median, Math.log(Math.max(p95, median) / Math.max(median, 1)) / P95)
}

/** Standard deviations from the median to the 95th percentile. */
const P95 = 1.645

/** Draws a time around a median, milliseconds, by the Box-Muller transform. */
function lognormal(random: Random, stream: string, n: number, median: number, sigma: number): number {
  const angle = 2 * Math.PI * random.fraction(`${stream} angle`, n)
  const normal = Math.sqrt(-2 * Math.log(1 - random.fraction(stream, n))) * Math.cos(angle)
  return Math.round(median * Math.exp(sigma * Math.max(-FURTHEST, Math.min(FURTHEST, normal))))
}

/** Returns when the batch of a transfer ends. */
export function batchOf(at: number, country: string, { batches, cut_off }: Clearing): number {
  const offset = utcOffset(country)
  const open = onBankingDay(at, country)
  const day = Math.floor((open + offset) / DAY) * DAY - offset
  const batch = batches.map((end) => day + end * HOUR).find((end) => end - cut_off * HOUR >= open)
  return batch ?? batchOf(day + DAY, country, { batches, cut_off })
}

interface Outage {
  readonly from: number
  readonly to: number
}

/** Relative number of outages that begin in each hour of the day: maintenance at night, load in the evening. */
const outageHours = [8, 10, 10, 8, 4, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 5, 7, 8, 7, 5, 3, 2, 4]

/** Returns the maintenance or the outage of a network at a time, if there is one. Each day has at most one outage. */
export function outageAt(
  random: Random,
  country: string,
  { name, code, outages, maintenance }: NetworkFacts,
  at: number,
): Outage | undefined {
  const offset = utcOffset(country)
  const today = Math.floor((at + offset) / DAY)
  if (maintenance?.weekday === weekdayOf(today)) {
    const [from, to] = [maintenance.from, maintenance.to].map((hour) => today * DAY + hour * HOUR - offset)
    if (at >= from! && at < to!) return { from: from!, to: to! }
  }
  const stream = `outage ${country} ${code} ${name}`
  for (const day of [today, today - 1]) {
    if (random.fraction(stream, day) >= outages / 30) continue
    const hour = weighted(outageHours.entries(), random.fraction(`${stream} hour`, day))
    const minute = random.fraction(`${stream} minute`, day) * HOUR
    const from = Math.round(day * DAY + hour * HOUR + minute - offset)
    const to = from + lognormal(random, `${stream} length`, day, 25 * MINUTE, 0.8)
    if (at >= from && at < to) return { from, to }
  }
  return undefined
}

function weighted<Item>(list: Iterable<readonly [Item, number]>, drawn: number): Item {
  const all = [...list]
  let left = drawn * all.reduce((sum, [, weight]) => sum + weight, 0)
  return (all.find(([, weight]) => (left -= weight) < 0) ?? all.at(-1)!)[0]
}

type Paid = Pick<TransactionRow, 'id' | 'rail' | 'direction' | 'country' | 'party' | 'network'>

interface FieldOutcome {
  /** The rule that made it different from a usual success, as in `/sandbox/provenance`. */
  readonly rule: 'field.outages' | 'field.failures' | 'field.batches'
  readonly reason: Reason | undefined
  /** Milliseconds until the end, if it differs from the usual time of the rail. */
  readonly after: number | undefined
}

/** The share of payments that fail during an outage; the others end after it. */
const LOST = 0.7

/** Returns how a payment ends that no scenario decides; undefined for a success in the usual time. */
export function fieldOutcome(random: Random, row: Paid, at: number): FieldOutcome | undefined {
  const { id, rail, direction, country } = row
  const facts = networkOf(row)
  const outage = facts && outageAt(random, country, facts, at)
  const usual = () => drawnTime({ kind: 'realistic' }, row, random)
  if (outage && random.fraction('field lost', id) < LOST) {
    const busy: Reason = random.fraction('field busy', id) < 0.6 ? 'operator_busy' : 'operator_error'
    const reason = rail === 'card' ? 'issuer_unavailable' : busy
    return { rule: 'field.outages', reason, after: 2 * usual() }
  }
  const end = outage && outage.to - at + 3 * usual()
  const { rate, reasons } = failures[rail][direction]
  if (random.fraction('field fails', id) < rate * (facts?.fails ?? 1)) {
    const list = Object.entries(reasons) as [Reason, number][]
    const reason = weighted(list, random.fraction('field reason', id))
    return {
      rule: 'field.failures',
      reason,
      after: end ?? timeOfFailure(reason, random.fraction('field expiry', id)),
    }
  }
  if (end !== undefined) return { rule: 'field.outages', reason: undefined, after: end }
  if (!facts?.clears) return undefined
  const batch = batchOf(at, country, facts.clears)
  return { rule: 'field.batches', reason: undefined, after: batch - at + 10 * usual() }
}

/** A prompt that nobody answers stays for a minute, and its end is reported some seconds later. */
const timeOfFailure = (reason: Reason, drawn: number): number | undefined =>
  reason === 'unreachable' || reason === 'expired' ? MINUTE + Math.round(drawn * 9 * SECOND) : undefined

const LATE = 0.03
const REPEATED = 0.01

/** Returns how the callback of a payment is sent; undefined for one callback at the end. */
export function fieldCallback(random: Random, id: number): CallbackPlan | undefined {
  const after =
    random.fraction('field late', id) < LATE && lognormal(random, 'field delay', id, 2 * MINUTE, 1)
  const repeated = random.fraction('field repeated', id) < REPEATED
  return after === false && !repeated
    ? undefined
    : { ...(after !== false && { after }), ...(repeated && { times: 2 }) }
}

/** Returns the time until a response of the service, milliseconds of real time. */
export const fieldLatency = (random: Random, n: number): number =>
  Math.min(10_000, lognormal(random, 'field latency', n, 350, 0.6))

/** Milliseconds within which a repeated payment is rejected (observed). */
const REPEATED_WITHIN = 120_000
/** M-Pesa's daily limit per phone in Kenya, shillings (observed since 15 August 2023). */
const MPESA_DAILY = 500_000

/** Maximum number of a phone's payments to check; more per day indicate a load test. */
const LOOKED_AT = 200

/** Returns the plan of a transaction under realistic operators: a scenario's outcome takes precedence. */
export function realisticPlan(
  tx: Tx,
  draft: Draft,
  id: number,
  network_name: string | undefined,
  plan: Plan | null,
): Plan | null {
  if (plan?.settle !== undefined) return plan
  const broken = refusalOf(tx, draft, network_name)
  if (broken === undefined) return isInField(tx, draft, plan) ? fieldPlan(tx, draft, id, network_name) : plan
  const [rule, reason] = broken
  tx.onOperatorRule?.(rule, reason)
  // A plan for after a success does not apply to a failure.
  const { later: _, ...rest } = plan ?? {}
  return { ...rest, settle: { status: 'failed', reason } }
}

/** Whether chance decides: test numbers and scenarios have a certain end, and offline collections wait for their payer. */
function isInField({ settings }: Tx, { party, is_offline, country }: Draft, plan: Plan | null): boolean {
  if (settings.realism !== 'field' || plan !== null || is_offline || keptEnding(party) !== undefined)
    return false
  const home = countryByCode(country)
  return !home || !isKeptForScenarios(home, party)
}

function fieldPlan(tx: Tx, draft: Draft, id: number, network: string | undefined): Plan | null {
  const { random, now, settings } = tx
  const { rail, direction, country, party } = draft
  const outcome = fieldOutcome(random, { id, rail, direction, country, party, network }, now)
  const callback = fieldCallback(random, id)
  // A payer by hand decides alone.
  const byHand = direction === 'payin' && settings.payer !== undefined && settings.payer !== 'automatic'
  if (!outcome || byHand) return callback ? { callback } : null
  const { rule, reason, after } = outcome
  if (reason !== undefined) tx.onOperatorRule?.(rule, reason)
  const settle = {
    ...(reason !== undefined && { status: 'failed' as const, reason }),
    ...(after !== undefined && { after }),
  }
  return { settle, ...(callback && { callback }) }
}

/** The name of a violated rule in `rules`, and the reason of the failure. */
type ViolatedRule = readonly [
  rule: 'other_network' | 'prompt_in_flight' | 'same_amount' | 'amount_per_day',
  reason: Reason,
]

function refusalOf(tx: Tx, draft: Draft, network_name: string | undefined): ViolatedRule | undefined {
  const { is_offline, party, direction } = draft
  const country = countryByCode(draft.country)
  if (!isOfPhone(draft) || is_offline || !country || !party.startsWith(country.dial_code)) return undefined
  if (isKeptForScenarios(country, party)) return undefined
  if (network_name !== undefined && isOfAnother(country, party, network_name))
    return ['other_network', direction === 'payin' ? 'prompt_not_sent' : 'not_registered']
  const isMpesa = country.code === 'KE' && operatorOf(country, party)?.networks.includes('M-Pesa')
  return isMpesa ? violatedMpesaRule(tx, draft) : undefined
}

/** Returns the rule of M-Pesa in Kenya that a payment violates because of earlier payments. */
function violatedMpesaRule(tx: Tx, draft: Draft): ViolatedRule | undefined {
  const { amount, direction, account_id, currency } = draft
  const before = tx.rows
    .newest('transactions', 'party', draft.party, { offset: 0, limit: LOOKED_AT })
    .filter((row) => row.direction === direction && isOfPhone(row) && row.country === 'KE')
  if (direction === 'payin' && before.some((row) => hasPrompt(row, tx.now)))
    return ['prompt_in_flight', 'subscriber_locked']
  const repeated = before.some(
    (row) =>
      row.amount === amount &&
      row.account_id === account_id &&
      moves(row) &&
      tx.now - (row.settled_at ?? row.created_at) < REPEATED_WITHIN,
  )
  if (repeated) return ['same_amount', 'rule_limited']
  const today = dayOf(tx.now)
  const used = before.reduce(
    (sum, row) => (moves(row) && dayOf(row.created_at) === today ? sum + row.amount : sum),
    0,
  )
  return used + amount > toMinor(MPESA_DAILY, currency) ? ['amount_per_day', 'daily_limit'] : undefined
}

/** A phone shows only one prompt at a time. */
function hasPrompt({ status, is_offline, created_at, plan }: TransactionRow, now: number): boolean {
  if (status !== 'QUEUED' || is_offline || now - created_at >= PROMPT_LASTS) return false
  return !isWithoutPrompt(plan)
}

/** Whether a transaction has moved its money, or will. */
const moves = ({ status, plan }: TransactionRow): boolean =>
  status === 'SUCCESS' || (status === 'QUEUED' && plan?.settle?.status !== 'failed')

/** The operator's local day. */
const dayOf = (at: number) => Math.floor((at + utcOffset('KE')) / DAY)
