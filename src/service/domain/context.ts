import type { TierLimits } from '../../generated/control/types.ts'
import type { Keep } from '../vocabulary/keep.ts'
import type { Random } from '../../lib/random/random.ts'
import type { Reason } from '../vocabulary/rails.ts'
import type { Observed } from '../vocabulary/observed.ts'
import type { ReceiverProtection } from '../vocabulary/receiver-protection.ts'
import type { SettleAfter } from '../vocabulary/settle-after.ts'
import type { Change, View, WorldRows } from '../../storage/store/change.ts'
import type { Decision } from '../vocabulary/outcome.ts'
import type { Generation, RetryProfile } from '../vocabulary/terms.ts'
import type { Trace } from '../../lib/text/headers.ts'
import type { CostBand } from './costs.ts'
import type { CounterRow, MailJobRow } from '../../storage/store/rows.ts'
import { boundedTime } from '../../lib/clock/clock.ts'
import type { JobRow, JobTask } from '../../storage/store/payment-rows.ts'

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
  /** Whether operators and banks apply the rules of real ones, and whether payments end as they do in the field. */
  readonly realism: 'plain' | 'realistic' | 'field'
  /** What the sandbox sends to a protected receiver in addition to signatures. */
  readonly receiver_protection?: ReceiverProtection | undefined
  /** How the service was observed to differ. */
  readonly observed?: Observed | undefined
  /** Limits of the settled transactions that are kept. */
  readonly retention: Keep
  /** By KYC tier, from 0. */
  readonly tiers: readonly TierLimits[]
  readonly costs: readonly CostBand[]
  /** Whether networks have prices of their own, as in the field. */
  readonly network_prices?: boolean | undefined
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
export const starts = {
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

export const isRealistic = ({ settings }: Pick<Look, 'settings'>): boolean => settings.realism !== 'plain'
