/**
 * The rows of a world: people, Teams, and what the sandbox itself keeps; those of payments are in `payment-rows.ts`. The type of a row, the
 * check of an imported one and its size follow from its schema. Field names are the specification's. Times are milliseconds since the epoch on
 * the world's clock and end in `_at`; money is a whole number of the currency's minor unit.
 */
import * as z from 'zod'
import { lazy } from '../../lib/lazy.ts'
import {
  at,
  body,
  code,
  count,
  country,
  email,
  failure,
  flag,
  headers,
  id,
  link,
  long,
  money,
  name,
  note,
  phone,
  type RowOf,
  text,
  url,
  wallAt,
} from './row-fields.ts'

export const organizationRow = lazy(() =>
  z.object({
    id: id(),
    name: text(),
    organization_type: text(),
    status: text(),
    currency: code(),
    kyc_tier: count(),
    admin_id: id(),
    creator_id: id(),
  }),
)
export type OrganizationRow = RowOf<typeof organizationRow>

export const userRow = lazy(() =>
  z.object({
    id: id(),
    phone_number: phone(),
    first_name: text(),
    last_name: text(),
    username: name(),
    email: email(),
    is_admin: flag(),
    status: text(),
    is_pin_set: flag(),
    organization_ids: z.array(id()),
  }),
)
export type UserRow = RowOf<typeof userRow>

/** An API key pair. */
export const apiKeyRow = lazy(() =>
  z.object({
    username: name(),
    /** How its password is kept (src/worlds/password.ts). */
    password_hash: text(),
    user_id: id(),
    /** The Team of a request that names none. */
    default_account_id: id(),
    revoked_at: at().nullable(),
    /** For people. */
    name: text().optional(),
    /** On the wall, milliseconds; the key does not expire if omitted. */
    expires_at: at().optional(),
  }),
)
export type ApiKeyRow = RowOf<typeof apiKeyRow>

const roleId = lazy(() => z.int().min(1).max(4))

export const roleRow = lazy(() =>
  z.object({
    /** `{account_id}:{user_id}` */
    id: text(),
    account_id: id(),
    user_id: id(),
    role_id: roleId(),
  }),
)
export type RoleRow = RowOf<typeof roleRow>

export const teamRow = lazy(() =>
  z.object({
    id: id(),
    organization_id: id(),
    name: text(),
    description: note(),
    currency: code(),
    country: country(),
    number: phone(),
    email: email(),
    status: text(),
    account_type: text(),
    kyc_tier: count(),
    kyc_verified: flag(),
    logo: url(),
    theme_color: code(),
    payment_note: note(),
    /** Low-balance threshold, minor units. */
    notify_amount: money(),
    /** The Team's slug, taken from `username` at creation; `uuid` in the user profile. */
    uuid: name(),
    merchant_id: id(),
    created_at: at(),
    updated_at: at(),
  }),
)
export type TeamRow = RowOf<typeof teamRow>

export const channelRow = lazy(() =>
  z.object({
    id: id(),
    account_id: id(),
    transaction_type: text(),
    channel_type: z.enum(['bank', 'paybill', 'till', 'wallet']),
    short_code: text(),
    account_number: text(),
    description: note(),
    is_active: flag(),
    created_at: at(),
    updated_at: at(),
    /** Last updated or last used in a collection; the listing's order. */
    active_at: at(),
  }),
)
export type ChannelRow = RowOf<typeof channelRow>

export const kycStatus = lazy(() => z.enum(['pending', 'in_review', 'approved', 'rejected']))

/** A section of a KYC submission, kept as it was sent. */
const section = lazy(() => z.looseObject({}) as z.ZodType<object>)

export const kycRow = lazy(() =>
  z.object({
    id: id(),
    account_id: id(),
    status: kycStatus(),
    /** Counts submissions and amendments, so that a review planned for an earlier one is not applied. */
    revision: count(),
    /** The submission as it was sent (specification 2.3). */
    details: z.object({
      entity_type: text().optional(),
      country_code: country().optional(),
      country: country().optional(),
      kyc_tier: count().optional(),
      notes: long().optional(),
      contact_information: section().optional(),
      entity_information: section().optional(),
      account_information: section().optional(),
    }),
    /** Why it was rejected. */
    reasons: z.array(note()).optional(),
    created_at: at(),
    updated_at: at(),
  }),
)
export type KycRow = RowOf<typeof kycRow>
export type KycDetails = KycRow['details']

export const inviteRow = lazy(() =>
  z.object({
    /** Rising. */
    id: id(),
    token: text(),
    organization_id: id(),
    account_id: id(),
    email: email(),
    phone_number: phone(),
    role_id: roleId(),
    assigned_account_ids: z.array(id()),
    link: link(),
    status: z.enum(['sent', 'accepted', 'declined']),
    created_at: at(),
  }),
)
export type InviteRow = RowOf<typeof inviteRow>

/** A mail that the service would have sent. */
export const mailRow = lazy(() =>
  z.object({
    id: id(),
    to: email(),
    subject: note(),
    text: long(),
    link: link(),
    sent_at: at(),
    /** Why it has not left the sandbox; absent if it has, or is not supposed to. */
    failed: failure()
      .extend({
        /** When it is retried, milliseconds on the wall; null when it is given up. */
        next_at: wallAt().nullable(),
      })
      .optional(),
  }),
)
export type MailRow = RowOf<typeof mailRow>
export type FailedMail = NonNullable<MailRow['failed']>

/**
 * A mail that the mail server has not yet accepted. It leaves on the wall's time, even out of a world whose clock stands still, so it is none
 * of the jobs that are due by the world's clock.
 */
export const mailJobRow = lazy(() =>
  z.object({
    /** The mail's. */
    id: id(),
    /** Milliseconds on the wall; at once when it is 0. */
    due_at: wallAt(),
    failed: failure().optional(),
  }),
)
export type MailJobRow = RowOf<typeof mailJobRow>
export type FailedJob = NonNullable<MailJobRow['failed']>

/** A phone that was changed; all others are alike and have no row. */
export const phoneRow = lazy(() =>
  z.object({
    /** Digits with the dial code. */
    number: phone(),
    on: flag(),
    /** Whether the operator knows the number as one of mobile money. */
    registered: flag(),
    /** What the operator does with payments from and to it. */
    operator: z.enum(['works', 'busy', 'fails']),
    pin: z.string().regex(/^\d{4,6}$/),
    /** In a row. */
    wrong_pins: count(),
    /** By currency, minor units; a currency that is missing has no limit. */
    balances: z.record(code(), z.int().min(0)),
  }),
)
export type PhoneRow = RowOf<typeof phoneRow>

/** A callback that an inbox of the sandbox received. */
export const inboxRow = lazy(() =>
  z.object({
    id: id(),
    inbox: text(),
    at: at(),
    wall_at: wallAt(),
    url: body(),
    headers: headers(),
    body: body(),
    /** The status of the response; null without one. */
    answered: z.int().nullable(),
    /** Whether the signature holds; null when there is none. */
    signature_holds: flag().nullable(),
    /** The profile that was checked, and the mistakes found in it. */
    signature: z.string().max(1_048_576),
  }),
)
export type InboxRow = RowOf<typeof inboxRow>

/** A report of what the integration of a world has proved. */
export const certificationRow = lazy(() =>
  z.object({
    id: id(),
    subject: text(),
    issued_at: wallAt(),
    ready: flag(),
    text: note(),
    score: z.int().min(0).max(100).nullable(),
    /** The certification in base64url, as it was signed. */
    payload: z.base64url().max(400_000),
    /** The header of the signature in base64url; null when it is unsigned. */
    protected: z.base64url().max(1_000).nullable(),
    signature: z.base64url().max(255).nullable(),
    key_id: text().nullable(),
  }),
)
export type CertificationRow = RowOf<typeof certificationRow>

/** What a world keeps in addition to its rows: its settings, its clock, its secrets; one row each. */
export const stateRow = lazy(() => z.object({ name: text(), value: z.unknown() }))
export type StateRow = RowOf<typeof stateRow>

/** The last number given out of a sequence. */
export const counterRow = lazy(() => z.object({ name: text(), value: count() }))
export type CounterRow = RowOf<typeof counterRow>
