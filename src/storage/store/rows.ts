/**
 * The rows of a world. Field names are the specification's; times are milliseconds since the epoch on the
 * world's clock and end in `_at`; money is a whole number of the currency's minor unit. A row is a value:
 * it is never changed in place, only replaced whole.
 */
import type { RetryPlan } from '../../service/vocabulary/outcome.ts'
import type { CallbackFault, CallbackMethod, CallbackShape } from '../../service/vocabulary/terms.ts'
import type { Reason } from '../../service/vocabulary/reasons.ts'
import type { Trace } from '../../lib/log/trace-context.ts'

export interface OrganizationRow {
  readonly id: number
  readonly name: string
  readonly organization_type: string
  readonly status: string
  readonly currency: string
  readonly kyc_tier: number
  readonly admin_id: number
  readonly creator_id: number
}

export interface UserRow {
  readonly id: number
  readonly phone_number: string
  readonly first_name: string
  readonly last_name: string
  readonly username: string
  readonly email: string
  readonly is_admin: boolean
  readonly status: string
  readonly is_pin_set: boolean
  readonly organization_ids: readonly number[]
}

/** An API key pair. */
export interface ApiKeyRow {
  readonly username: string
  /** How its password is kept (src/worlds/password.ts). */
  readonly password_hash?: string
  /** The same in older files, until the password is next used. */
  readonly password_sha256?: string
  readonly user_id: number
  /** The Team of a request that names none. */
  readonly default_account_id: number
  readonly revoked_at: number | null
  /** For people. */
  readonly name?: string
  /** On the wall, milliseconds; it works for good when left out. */
  readonly expires_at?: number
}

export interface RoleRow {
  /** `{account_id}:{user_id}` */
  readonly id: string
  readonly account_id: number
  readonly user_id: number
  readonly role_id: number
}

export interface TeamRow {
  readonly id: number
  readonly organization_id: number
  readonly name: string
  readonly description: string
  readonly currency: string
  readonly country: string
  readonly number: string
  readonly email: string
  readonly status: string
  readonly account_type: string
  readonly kyc_tier: number
  readonly kyc_verified: boolean
  readonly logo: string
  readonly theme_color: string
  readonly payment_note: string
  /** Low-balance threshold, minor units. */
  readonly notify_amount: number
  /** The Team's slug, taken from `username` at creation; `uuid` in the user profile. */
  readonly uuid: string
  readonly merchant_id: number
  readonly created_at: number
  readonly updated_at: number
}

export interface ChannelRow {
  readonly id: number
  readonly account_id: number
  readonly transaction_type: string
  readonly channel_type: 'bank' | 'paybill' | 'till' | 'wallet'
  readonly short_code: string
  readonly account_number: string
  readonly description: string
  readonly is_active: boolean
  readonly created_at: number
  readonly updated_at: number
  /** Last updated or last used in a collection; the listing's order. */
  readonly active_at: number
}

/** What a KYC submission carries, as it was sent (specification 2.3). */
export interface KycDetails {
  readonly entity_type?: string | undefined
  readonly country_code?: string | undefined
  readonly country?: string | undefined
  readonly kyc_tier?: number | undefined
  readonly notes?: string | undefined
  readonly contact_information?: object | undefined
  readonly entity_information?: object | undefined
  readonly account_information?: object | undefined
}

export interface KycRow {
  readonly id: number
  readonly account_id: number
  readonly status: 'pending' | 'in_review' | 'approved' | 'rejected'
  /** Counts submissions and amendments, so that a review planned for an earlier one is not applied. */
  readonly revision: number
  readonly details: KycDetails
  /** Why it was rejected; none otherwise. */
  readonly reasons?: readonly string[] | undefined
  readonly created_at: number
  readonly updated_at: number
}

export interface InviteRow {
  /** Rising; absent in older files. */
  readonly id?: number | undefined
  readonly token: string
  readonly organization_id: number
  readonly account_id: number
  readonly email: string
  readonly phone_number: string
  readonly role_id: number
  readonly assigned_account_ids: readonly number[]
  readonly link: string
  readonly status: 'sent' | 'accepted' | 'declined'
  readonly created_at: number
}

/** A mail the service would have sent. */
export interface MailRow {
  readonly id: number
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly link: string
  readonly sent_at: number
  /** Why it has not left the sandbox; nothing when it has, or is not to. */
  readonly failed?: FailedMail | undefined
}

export interface FailedMail extends FailedJob {
  /** When it is tried again, milliseconds on the wall; null when it is given up. */
  readonly next_at: number | null
}

export type { CardAttempt, PastState, TransactionRow } from './transaction-row.ts'

/** A row of `GET /api/v2/transactions`: what was booked to a wallet of a Team while the API's older generation was on. */
export interface AccountTransactionRow {
  readonly id: number
  readonly account_id: number
  readonly wallet: 'wallet' | 'service_wallet'
  readonly transaction_type: 'wallet_top_up' | 'inbound_payment' | 'outbound_payment' | 'service_charge'
  /** Null for a top-up that was no transaction. */
  readonly transaction_id: number | null
  readonly currency: string
  /** Below zero where it was taken back. */
  readonly amount: number
  /** What was available after it. */
  readonly wallet_balance: number
  readonly created_at: number
}

/** A phone that somebody has changed; all others are alike and have no row. */
export interface PhoneRow {
  /** Digits with the dial code. */
  readonly number: string
  readonly on: boolean
  /** Whether its number is known to the operator as one of mobile money. */
  readonly registered: boolean
  /** What the operator does with payments from and to it. */
  readonly operator: 'works' | 'busy' | 'fails'
  readonly pin: string
  /** In a row. */
  readonly wrong_pins: number
  /** What it holds by currency, minor units; without limit where nobody has said it. */
  readonly balances: { readonly [currency: string]: number }
}

/** One balanced entry of the ledger: the amounts of its lines sum to zero. */
export interface PostingRow {
  readonly id: number
  readonly at: number
  readonly kind: string
  readonly currency: string
  /** The transaction's id, or null for an entry that belongs to none (an opening balance). */
  readonly transaction_id: number | null
  /** Read by `linesOf`. */
  readonly lines: readonly (string | number)[] | readonly PostingLine[]
}

export interface PostingLine {
  /** The ledger account, e.g. `team:63:wallet` or `fees:KES`. */
  readonly account: string
  /** Minor units; positive into the account, negative out of it. */
  readonly amount: number
}

/** The running sum of an account's lines, written in the change that posts them. */
export interface BalanceRow {
  readonly account: string
  readonly currency: string
  readonly amount: number
}

/** What a Team has moved in one direction and currency on the last day that it did, for the daily limit. */
export interface UsageRow {
  /** `{account_id}:{direction}:{currency}` */
  readonly id: string
  /** Days since the epoch, UTC. */
  readonly day: number
  readonly amount: number
}

/** A job that is due at a time of the world's clock; written in the change that makes it true. */
export interface JobRow {
  readonly id: number
  readonly due_at: number
  readonly task: JobTask
  /** That doing it went wrong, which no job foresees; absent while it has not. */
  readonly failed?: FailedJob | undefined
}

/**
 * A mail that is owed to the mail server. It leaves on the wall's time, also out of a world whose clock stands still, so
 * it is none of the jobs that are due by the world's clock.
 */
export interface MailJobRow {
  /** The mail's. */
  readonly id: number
  /** Milliseconds on the wall; at once when it is 0. */
  readonly due_at: number
  readonly failed?: FailedJob | undefined
}

export interface FailedJob {
  /** How often. */
  readonly times: number
  /** When it last was, milliseconds on the clock that its time is of. */
  readonly at: number
  /** What it last was. */
  readonly error: string
  /** It is not tried again by itself. */
  readonly given_up: boolean
}

export type JobTask =
  | {
      readonly kind: 'settle'
      readonly transaction_id: number
      readonly status: 'SUCCESS' | 'FAILED'
      readonly reason: Reason | null
    }
  | {
      readonly kind: 'review'
      readonly kyc_id: number
      readonly revision: number
      readonly status: KycRow['status']
      readonly reasons?: readonly string[] | undefined
    }
  /** The time is up that an open page waits for its payer. */
  | { readonly kind: 'expire'; readonly transaction_id: number }
  /** The time is up that a payment was left to its payer. */
  | { readonly kind: 'unanswered'; readonly transaction_id: number }
  /** What happens to a transaction after it was final. */
  | { readonly kind: 'later'; readonly transaction_id: number; readonly status: 'SUCCESS' | 'REVERSED' }
  /** An offline collection that nobody has paid fails. */
  | { readonly kind: 'expire_offline'; readonly transaction_id: number }
  | { readonly kind: 'channel'; readonly channel_id: number; readonly is_active: boolean }
  | {
      /** One attempt to deliver a callback, and those that follow when it fails. */
      readonly kind: 'callback'
      readonly callback_id: number
      /** How many attempts before it failed, of this sending; none when left out. */
      readonly failed?: number
      /** How many copies leave at one moment; one when left out. */
      readonly copies?: number | undefined
    }

/** A callback, sent or to be sent: the bytes are fixed when it is made, so every attempt sends the same. */
export interface CallbackRow {
  readonly id: number
  readonly transaction_id: number
  readonly url: string
  readonly shape: CallbackShape
  readonly body: string
  /** Wrong on purpose, when that was asked for. */
  readonly fault: CallbackFault | null
  /** Later ones of the transaction that are marked so too go before it. */
  readonly out_of_order?: boolean | undefined
  /** Somebody asked for it: it has no place among those that tell of results. */
  readonly fired?: boolean | undefined
  /** The trace that it belongs to; absent where it belongs to none. */
  readonly trace?: Trace | undefined
  /** How it is retried, where that differs from the world's settings. */
  readonly retry?: RetryPlan | undefined
  /** By which it comes on purpose, and as what; POST and JSON when left out. */
  readonly method?: CallbackMethod | undefined
  readonly content_type?: string | undefined
  /** Spaces sent behind the body, bytes. */
  readonly padding?: number | undefined
  readonly state: 'pending' | 'delivered' | 'failed'
  /** The id of the attempt that ended it; those that ended first are forgotten first. */
  readonly ended_by?: number | undefined
  readonly created_at: number
}

/** One try to deliver a callback, with everything that went out and came back. */
export interface AttemptRow {
  readonly id: number
  readonly callback_id: number
  /** On the world's clock. */
  readonly at: number
  /** On the wall: what signatures are dated by. */
  readonly wall_at: number
  readonly duration_ms: number
  /** The address that was called, after rewriting. */
  readonly url: string
  readonly request_headers: { readonly [name: string]: string }
  /** What was sent where it is not the callback's own body; null where it is. */
  readonly request_body: string | null
  /** The receiver's HTTP status; null when there was no answer. */
  readonly status: number | null
  readonly answer_headers: { readonly [name: string]: string }
  /** The first 4 KiB. */
  readonly answer_body: string
  /** Why there was no answer, in plain words; empty otherwise. */
  readonly error: string
  /** What to change where it failed; empty otherwise. */
  readonly advice: string
  /** When the next attempt is due on the world's clock; null when there is none. */
  readonly next_at: number | null
}

/** A callback that an inbox of the sandbox received. */
export interface InboxRow {
  readonly id: number
  readonly inbox: string
  /** On the world's clock. */
  readonly at: number
  /** On the wall. */
  readonly wall_at: number
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** The status it was answered with; null when it was not answered. */
  readonly answered: number | null
  /** Whether the signature holds; null when there is none to look at. */
  readonly signature_holds: boolean | null
  /** The profile that was looked at, and the mistakes found in it. */
  readonly signature: string
}

/** A report of what the integration of a world had proved. */
export interface CertificationRow {
  readonly id: number
  readonly subject: string
  /** On the wall. */
  readonly issued_at: number
  readonly ready: boolean
  readonly text: string
  readonly score: number | null
  /** The certification in base64url, as it was signed. */
  readonly payload: string
  /** The header of the signature in base64url; null when it is unsigned. */
  readonly protected: string | null
  readonly signature: string | null
  readonly key_id: string | null
}

/** What a world remembers beside its rows: its settings, its clock, its secrets; one row each. */
export interface StateRow {
  readonly name: string
  readonly value: unknown
}

/** The last number given out of a sequence. */
export interface CounterRow {
  readonly name: string
  readonly value: number
}
