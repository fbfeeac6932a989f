import type { TierLimits } from '../../generated/control/types.ts'
import type { Keep } from '../vocabulary/keep.ts'
import type { Random } from '../../lib/random/random.ts'
import type { Reason } from '../vocabulary/reasons.ts'
import type { SettleAfter } from '../vocabulary/settle-after.ts'
import type { Change, View, WorldRows } from '../../storage/store/store.ts'
import type { Decision } from '../vocabulary/outcome.ts'
import type { Generation, RetryProfile } from '../vocabulary/terms.ts'
import type { Trace } from '../../lib/log/trace-context.ts'
import type { CostBand } from './money.ts'
import type { CounterRow, MailJobRow } from '../../storage/store/rows.ts'
import { boundedTime } from '../../lib/clock/bounds.ts'
import type { JobRow, JobTask, TransactionRow } from '../../storage/store/payment-rows.ts'
import { rails } from '../vocabulary/rails.ts'
import { utcOffset } from './countries/countries.ts'

/** The settings of a world that rules read. */
export interface Settings {
  /** The display name of the world. */
  readonly name?: string | undefined
  /** From acceptance to the final state: milliseconds, or a distribution. */
  readonly settle_after: SettleAfter
  /** From a KYC submission to its approval, milliseconds. */
  readonly review_after: number
  readonly callback_shape: 'flat' | 'nested'
  /** Signature profiles in the format of `SANDBOX_SIGNATURES`. */
  readonly signatures: string
  readonly retry_profile: RetryProfile
  /** Divides every pause between attempts. */
  readonly retry_speed: number
  /** Whether each pause is randomized. */
  readonly retry_jitter: 'on' | 'off'
  /** Whether callbacks begin a trace if the request had none; defaults to `passed`, which begins none. */
  readonly trace_context?: 'propagate' | 'always' | undefined
  /** Milliseconds. */
  readonly callback_timeout: number
  readonly validation: 'documented' | 'lenient'
  readonly generation: Generation
  /** Who ends a pay-in: the sandbox after `settle_after`, or a payer manually; defaults to automatic. */
  readonly payer?: 'automatic' | 'manual' | 'manual_while_watched' | undefined
  /** Whether operators and banks apply the rules of real ones. */
  readonly realism: 'plain' | 'realistic'
  /** Limits of the settled transactions that are kept. */
  readonly retention: Keep
  /** By KYC tier, from 0. */
  readonly tiers: readonly TierLimits[]
  readonly costs: readonly CostBand[]
  /** Whether mails are sent by SMTP. Set by the process, not by users of a world. */
  readonly send_mails?: boolean | undefined
  /** Whether the previous API generation is served. Set by the process too. */
  readonly extensions?: boolean | undefined
}

/** Read access to a world. */
export interface Look {
  readonly rows: View
  /** The world's time, milliseconds. */
  readonly now: number
  readonly settings: Settings
  readonly random: Random
  /** Whether the dashboard currently shows the phones of the world. */
  readonly watched?: boolean | undefined
}

/** Write access to a world. */
export interface Tx extends Look {
  readonly rows: Change
  /** The outcome that scenarios decided for the current request; undefined for background work. */
  readonly decision?: Decision | undefined
  readonly trace?: (() => Trace | undefined) | undefined
  /** Receives the operator rule that the payment violates. */
  readonly onOperatorRule?: ((rule: string, reason: Reason) => void) | undefined
}

/** The user of the API key. */
export interface Caller {
  readonly username: string
  readonly user_id: number
  /** Used if a request names no Team. */
  readonly default_account_id: number
}

/** The first number of each sequence; seeds use lower numbers. */
const starts = {
  user: 100,
  team: 1_000,
  channel: 10_000,
  kyc: 500,
  transaction: 0,
  checkout: 29_118,
  own_reference: 0,
  posting: 0,
  account_transaction: 0,
  job: 0,
  callback: 0,
  attempt: 0,
  inbox: 0,
  invite: 0,
  mail: 0,
} as const

/** Returns the next number of a sequence, which is unique in its world. */
export const next = (tx: Tx, counter: keyof typeof starts): number =>
  tx.rows.increment(counter, starts[counter])

/** The highest number in use, for each sequence that numbers rows. */
const counted = {
  user: (rows) => highest(rows.users),
  team: (rows) => highest(rows.teams),
  channel: (rows) => highest(rows.channels),
  kyc: (rows) => highest(rows.kycs),
  transaction: (rows) => highest(rows.transactions),
  posting: (rows) => highest(rows.postings),
  account_transaction: (rows) => highest(rows.accountTransactions),
  job: (rows) => highest(rows.jobs),
  callback: (rows) => highest(rows.callbacks),
  attempt: (rows) => highest(rows.attempts),
  inbox: (rows) => highest(rows.inbox),
  invite: (rows) => rows.invites?.reduce((most, { id = 0 }) => Math.max(most, id), rows.invites.length) ?? 0,
  mail: (rows) => highest(rows.mails),
} as const satisfies { readonly [Name in keyof typeof starts]?: (rows: WorldRows) => number }

const highest = (rows: readonly { readonly id: number }[] = []) =>
  rows.reduce((most, { id }) => Math.max(most, id), 0)

/** Returns counters for rows of a seed or an export that do not repeat numbers in use. */
export function countersOf(rows: WorldRows): readonly CounterRow[] {
  const values = new Map(rows.counters?.map(({ name, value }) => [name, value]))
  for (const [name, least] of Object.entries(counted)) {
    const reached = least(rows)
    if (reached > (values.get(name) ?? starts[name as keyof typeof starts])) values.set(name, reached)
  }
  return [...values].map(([name, value]) => ({ name, value }))
}
export const wasGivenOut = ({ rows }: Look, counter: keyof typeof starts, number: number): boolean =>
  number > starts[counter] && number <= (rows.get('counters', counter)?.value ?? 0)

/**
 * Enqueues a task after `after` milliseconds, or at the latest possible time.
 * @returns the job's id
 */
export function addJob(tx: Tx, after: number, task: JobTask): number {
  const id = next(tx, 'job')
  tx.rows.insert('jobs', { id, due_at: boundedTime(tx.now + after), task })
  return id
}

/**
 * Whether a job is still queued as it was read: not performed, rescheduled, or replaced with the world's rows.
 * @param generation - of the rows from which it was read
 */
export function isStillQueued({ rows }: Look, job: JobRow, generation: View['generation']): boolean {
  return rows.generation === generation && isSameAttempt(rows.get('jobs', job.id), job)
}

export function isMailStillQueued({ rows }: Look, job: MailJobRow, generation: View['generation']): boolean {
  return rows.generation === generation && isSameAttempt(rows.get('mailJobs', job.id), job)
}

const isSameAttempt = <Job extends Pick<JobRow, 'due_at' | 'failed'>>(row: Job | undefined, job: Job) =>
  row !== undefined && row.due_at === job.due_at && row.failed?.times === job.failed?.times

/** Includes jobs that were given up. */
export const pendingJobs = ({ rows }: Look): number =>
  rows.count('jobs', 'due', 0) + rows.count('jobs', 'due', 1)

export const failingJobs = ({ rows }: Look): readonly JobRow[] => rows.find('jobs', 'failing', 'yes')

export const isRealistic = ({ settings }: Pick<Look, 'settings'>): boolean => settings.realism === 'realistic'

const MONTHS = 'ABCDEFGHIJKL'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** `S` is 2024, `T` 2025, `U` 2026. */
const YEAR_OF_A = 2006
const RECEIPTS = 36 ** 7
const BANK_RECEIPTS = 36 ** 5

const DAY = 86_400_000

/** Caches the last day's stamp: creating a Date costs more than the rest of a reference. */
function dayStamps(stampOf: (date: Date) => string): (at: number) => string {
  let lastDay = Number.NaN
  let lastStamp = ''
  return (at) => {
    const day = Math.floor(at / DAY)
    if (day !== lastDay) {
      lastStamp = stampOf(new Date(at))
      lastDay = day
    }
    return lastStamp
  }
}

/** Returns year, month and day in three characters: `UFD` for 2026-06-13 (open-points, "Callbacks": receipts). */
function threeLetters(date: Date): string {
  const years = date.getUTCFullYear() - YEAR_OF_A
  const year = ALPHABET[10 + (((years % 26) + 26) % 26)]
  return `${year}${MONTHS[date.getUTCMonth()]}${ALPHABET[date.getUTCDate()]}`
}

/** Returns year and day of the year in five digits: `26164` for 2026-06-13. */
function fiveDigits(date: Date): string {
  const year = date.getUTCFullYear()
  const day = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / DAY) + 1
  return `${String(((year % 100) + 100) % 100).padStart(2, '0')}${String(day).padStart(3, '0')}`
}

// Separate caches, because the service uses UTC and countries differ around midnight.
const serviceDay = dayStamps(threeLetters)
const operatorDay = dayStamps(threeLetters)
const bankDay = dayStamps(fiveDigits)

const NUMBERS = 1_000_000_000
const REFERENCE = /^[A-Z][A-L][1-9A-V](\d{9})\.(?:iI|eO)$/

/**
 * Returns the service's reference of the n-th transaction, such as `UFD003217286.iI`; `.iI` is money in, `.eO` money
 * out.
 */
export function makeReference(random: Random, n: number, at: number, direction: 'payin' | 'payout'): string {
  const number = random.shuffled('reference', n, NUMBERS)
  return `${serviceDay(at)}${String(number).padStart(9, '0')}.${direction === 'payin' ? 'iI' : 'eO'}`
}

/** Returns the number of the transaction in a reference; undefined if it is not a reference. */
export function numberOfReference(random: Random, reference: string): number | undefined {
  const digits = REFERENCE.exec(reference)?.[1]
  return digits === undefined ? undefined : random.unshuffled('reference', Number(digits), NUMBERS)
}

/**
 * Returns the older names of the n-th collection: a UUID and the operator's, such as `ws_CO_30062026034453708374149`.
 */
export function makeOlderNames(random: Random, n: number, at: number) {
  const local = new Date(at + utcOffset('KE')).toISOString()
  const [year, month, day, ...time] = local.split(/\D/)
  const number = random.shuffled('older checkout', n, NUMBERS)
  return {
    reference: random.uuid('older reference', n),
    checkout_request_id: `ws_CO_${day}${month}${year}${time.slice(0, 3).join('')}${String(number).padStart(9, '0')}`,
  }
}

/**
 * Returns the operator's receipt of the n-th transaction, ten upper-case letters and digits such as `UFU51A2XO2`.
 * @param at - local time
 */
export function makeReceipt(random: Random, n: number, at: number): string {
  const number = random.shuffled('receipt', n, RECEIPTS)
  return `${operatorDay(at)}${number.toString(36).toUpperCase().padStart(7, '0')}`
}

/**
 * Returns the reference of a bank or card scheme, such as `FT26164AB12C`, which differs from an operator's receipt
 * (assumed).
 */
function bankReceipt(random: Random, n: number, at: number): string {
  const number = random.shuffled('bank receipt', n, BANK_RECEIPTS)
  return `FT${bankDay(at)}${number.toString(36).toUpperCase().padStart(5, '0')}`
}

const RECEIPT = /^[A-Z][A-L][1-9A-V]([\dA-Z]{7})$/
const BANK_RECEIPT = /^FT\d{5}([\dA-Z]{5})$/

/** Returns the number of the transaction in a receipt; undefined if it is not a receipt. */
export function numberOfReceipt(random: Random, receipt: string): number | undefined {
  const ofOperator = RECEIPT.exec(receipt)?.[1]
  if (ofOperator !== undefined) return random.unshuffled('receipt', Number.parseInt(ofOperator, 36), RECEIPTS)
  const ofBank = BANK_RECEIPT.exec(receipt)?.[1]
  return ofBank === undefined
    ? undefined
    : random.unshuffled('bank receipt', Number.parseInt(ofBank, 36), BANK_RECEIPTS)
}

/** Returns the receipt of a transaction, dated in its country. */
export function receiptOf(
  random: Random,
  { id, rail, country }: Pick<TransactionRow, 'id' | 'rail' | 'country'>,
  at: number,
): string {
  const local = at + utcOffset(country)
  return rails[rail].receipts === 'operator' ? makeReceipt(random, id, local) : bankReceipt(random, id, local)
}

/**
 * Returns the transaction with a receipt. The receipt contains its number, so nothing is searched; receipts of another
 * world, before an import, are not found.
 */
export function receipted({ rows, random }: Look, receipt: string): TransactionRow | undefined {
  const number = numberOfReceipt(random, receipt)
  const row = number === undefined ? undefined : rows.get('transactions', number)
  return row?.provider_reference === receipt ? row : undefined
}
