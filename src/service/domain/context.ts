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

/** What a world lets its user choose; the rules read it, nothing else of the configuration. */
export interface Settings {
  /** What people call the world. */
  readonly name?: string | undefined
  /** From acceptance to the final state, milliseconds or what they are drawn from. */
  readonly settle_after: SettleAfter
  /** From a KYC submission to its approval, milliseconds. */
  readonly review_after: number
  readonly callback_shape: 'flat' | 'nested'
  /** The signature profiles as `SANDBOX_SIGNATURES` has them. */
  readonly signatures: string
  readonly retry_profile: RetryProfile
  /** Divides every pause between attempts. */
  readonly retry_speed: number
  /** Whether chance moves each pause. */
  readonly retry_jitter: 'on' | 'off'
  /** Whether callbacks begin a trace where the request belonged to none; `passed` when left out: they do not. */
  readonly trace_context?: 'passed' | 'begun' | undefined
  /** How long a receiver may take, milliseconds. */
  readonly callback_timeout: number
  readonly validation: 'documented' | 'lenient'
  readonly generation: Generation
  /** Who ends a pay-in: the sandbox after `settle_after`, or a payer by hand; automatic when left out. */
  readonly payer?: 'automatic' | 'by_hand' | 'by_hand_while_watched' | undefined
  /** Whether operators and banks refuse what real ones would. */
  readonly realism: 'plain' | 'realistic'
  /** What is kept of transactions that are over. */
  readonly keep: Keep
  /** By KYC tier, from 0. */
  readonly tiers: readonly TierLimits[]
  readonly costs: readonly CostBand[]
  /** Whether mails leave the sandbox, each by a job of its own. The process decides that, not the user of a world. */
  readonly send_mails?: boolean | undefined
  /** Whether the operations of the API's older generation are served. The process decides that too. */
  readonly extensions?: boolean | undefined
}

/** A look at a world: its rows, its time, its settings and the chance that it draws from. */
export interface Look {
  readonly rows: View
  /** The world's time, milliseconds. */
  readonly now: number
  readonly settings: Settings
  readonly random: Random
  /** Whether somebody watches the phones of the world just now. */
  readonly watched?: boolean | undefined
}

/** A change in a world: as a look, with rows that can be written. */
export interface Tx extends Look {
  readonly rows: Change
  /** What scenarios decided of the request that makes this change; undefined for the world's own work. */
  readonly decision?: Decision | undefined
  /** The trace that the request of this change belongs to, where it belongs to one. */
  readonly trace?: (() => Trace | undefined) | undefined
  /** Hears which rule of an operator the payment fails by that this change makes. */
  readonly onOperatorRule?: ((rule: string, reason: Reason) => void) | undefined
}

/** Who asks: the user behind the API key. */
export interface Caller {
  readonly username: string
  readonly user_id: number
  /** The Team meant when a request names none. */
  readonly default_account_id: number
}

/** Where each sequence of a world starts; seeds use the numbers below. */
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

/** The next number of a sequence: each is given out once in a world. */
export const next = (tx: Tx, counter: keyof typeof starts): number =>
  tx.rows.increment(counter, starts[counter])

/** For each sequence that numbers rows: the highest number that the rows of a world have. */
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

/** The counters of rows that come from a seed or an export: none may give out a number that a row already has. */
export function countersOf(rows: WorldRows): readonly CounterRow[] {
  const values = new Map(rows.counters?.map(({ name, value }) => [name, value]))
  for (const [name, least] of Object.entries(counted)) {
    const reached = least(rows)
    if (reached > (values.get(name) ?? starts[name as keyof typeof starts])) values.set(name, reached)
  }
  return [...values].map(([name, value]) => ({ name, value }))
}
/** Whether a number of a sequence was given out already. */
export const wasGivenOut = ({ rows }: Look, counter: keyof typeof starts, number: number): boolean =>
  number > starts[counter] && number <= (rows.get('counters', counter)?.value ?? 0)

/**
 * Enqueues `task` for `after` milliseconds from now, or for the last time there is, in the change that makes it true; returns
 * the job's id.
 */
export function addJob(tx: Tx, after: number, task: JobTask): number {
  const id = next(tx, 'job')
  tx.rows.insert('jobs', { id, due_at: boundedTime(tx.now + after), task })
  return id
}

/**
 * Whether a job that was read before is queued as it was then: nobody has done it, planned it anew, or put other rows in the
 * place of its world's.
 * @param generation of the rows it was read from
 */
export function isStillQueued({ rows }: Look, job: JobRow, generation: View['generation']): boolean {
  return rows.generation === generation && isSameAttempt(rows.get('jobs', job.id), job)
}

/** The same of a mail. */
export function isMailStillQueued({ rows }: Look, job: MailJobRow, generation: View['generation']): boolean {
  return rows.generation === generation && isSameAttempt(rows.get('mailJobs', job.id), job)
}

const isSameAttempt = <Job extends Pick<JobRow, 'due_at' | 'failed'>>(row: Job | undefined, job: Job) =>
  row !== undefined && row.due_at === job.due_at && row.failed?.times === job.failed?.times

/** How many jobs a world has, those that were given up included. */
export const pendingJobs = ({ rows }: Look): number =>
  rows.count('jobs', 'due', 0) + rows.count('jobs', 'due', 1)

/** Jobs that went wrong and are not done. */
export const failingJobs = ({ rows }: Look): readonly JobRow[] => rows.find('jobs', 'failing', 'yes')

/** Whether operators and banks of a world refuse what real ones would. */
export const isRealistic = ({ settings }: Pick<Look, 'settings'>): boolean => settings.realism === 'realistic'

const MONTHS = 'ABCDEFGHIJKL'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** `A` would be 2006: `S` 2024, `T` 2025, `U` 2026. */
const YEAR_OF_A = 2006
const RECEIPTS = 36 ** 7
const BANK_RECEIPTS = 36 ** 5

const DAY = 86_400_000

/** Makes the day of a time as `stampOf` has it, and keeps the last one for speed: a Date a reference costs more than the rest of it. */
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

/** Year, month and day in three characters, e.g. `UFD` for 2026-06-13 (open-points, "Callbacks": receipts). */
function threeLetters(date: Date): string {
  const years = date.getUTCFullYear() - YEAR_OF_A
  const year = ALPHABET[10 + (((years % 26) + 26) % 26)]
  return `${year}${MONTHS[date.getUTCMonth()]}${ALPHABET[date.getUTCDate()]}`
}

/** Year and day of the year in five digits, e.g. `26164` for 2026-06-13. */
function fiveDigits(date: Date): string {
  const year = date.getUTCFullYear()
  const day = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / DAY) + 1
  return `${String(((year % 100) + 100) % 100).padStart(2, '0')}${String(day).padStart(3, '0')}`
}

// Each with a day of its own: the service's is UTC's, and around midnight others have another.
const serviceDay = dayStamps(threeLetters)
const operatorDay = dayStamps(threeLetters)
const bankDay = dayStamps(fiveDigits)

const NUMBERS = 1_000_000_000
const REFERENCE = /^[A-Z][A-L][1-9A-V](\d{9})\.(?:iI|eO)$/

/** The service's reference of its n-th transaction, e.g. `UFD003217286.iI`; `.iI` is money in, `.eO` money out. */
export function makeReference(random: Random, n: number, at: number, direction: 'payin' | 'payout'): string {
  const number = random.shuffled('reference', n, NUMBERS)
  return `${serviceDay(at)}${String(number).padStart(9, '0')}.${direction === 'payin' ? 'iI' : 'eO'}`
}

/** Which transaction a reference of the service would be; undefined for a text that is none. */
export function numberOfReference(random: Random, reference: string): number | undefined {
  const digits = REFERENCE.exec(reference)?.[1]
  return digits === undefined ? undefined : random.unshuffled('reference', Number(digits), NUMBERS)
}

/** The names of the n-th collection in the older form: a UUID, and the operator's, e.g. `ws_CO_30062026034453708374149`. */
export function makeOlderNames(random: Random, n: number, at: number) {
  const local = new Date(at + utcOffset('KE')).toISOString()
  const [year, month, day, ...time] = local.split(/\D/)
  const number = random.shuffled('older checkout', n, NUMBERS)
  return {
    reference: random.uuid('older reference', n),
    checkout_request_id: `ws_CO_${day}${month}${year}${time.slice(0, 3).join('')}${String(number).padStart(9, '0')}`,
  }
}

/** The operator's receipt of the n-th transaction: ten upper-case letters and digits, e.g. `UFU51A2XO2`. @param at local time */
export function makeReceipt(random: Random, n: number, at: number): string {
  const number = random.shuffled('receipt', n, RECEIPTS)
  return `${operatorDay(at)}${number.toString(36).toUpperCase().padStart(7, '0')}`
}

/** The bank's or card scheme's reference, which looks like no operator's receipt: e.g. `FT26164AB12C` (assumed). */
function bankReceipt(random: Random, n: number, at: number): string {
  const number = random.shuffled('bank receipt', n, BANK_RECEIPTS)
  return `FT${bankDay(at)}${number.toString(36).toUpperCase().padStart(5, '0')}`
}

const RECEIPT = /^[A-Z][A-L][1-9A-V]([\dA-Z]{7})$/
const BANK_RECEIPT = /^FT\d{5}([\dA-Z]{5})$/

/** Which transaction a receipt of an operator or a bank would be of; undefined for a text that is none. */
export function numberOfReceipt(random: Random, receipt: string): number | undefined {
  const ofOperator = RECEIPT.exec(receipt)?.[1]
  if (ofOperator !== undefined) return random.unshuffled('receipt', Number.parseInt(ofOperator, 36), RECEIPTS)
  const ofBank = BANK_RECEIPT.exec(receipt)?.[1]
  return ofBank === undefined
    ? undefined
    : random.unshuffled('bank receipt', Number.parseInt(ofBank, 36), BANK_RECEIPTS)
}

/** Whoever moved the money gives it a receipt, which has the day of the transaction's country. */
export function receiptOf(
  random: Random,
  { id, rail, country }: Pick<TransactionRow, 'id' | 'rail' | 'country'>,
  at: number,
): string {
  const local = at + utcOffset(country)
  return rails[rail].receipts === 'operator' ? makeReceipt(random, id, local) : bankReceipt(random, id, local)
}

/**
 * The transaction that has a receipt. Receipts are numbered as transactions are, so that nobody has to search; one that another
 * world gave, before an import, is not found so.
 */
export function receipted({ rows, random }: Look, receipt: string): TransactionRow | undefined {
  const number = numberOfReceipt(random, receipt)
  const row = number === undefined ? undefined : rows.get('transactions', number)
  return row?.provider_reference === receipt ? row : undefined
}
