/**
 * The rows of a world except payments (`payment-rows.ts`). Each schema defines the row's type, its import check and its
 * size. Field names are the specification's. Times are milliseconds since the epoch on the world's clock and end in `_at`;
 * money is in minor units.
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

export const apiKeyRow = lazy(() =>
  z.object({
    username: name(),
    /** See src/worlds/password.ts. */
    password_hash: text(),
    user_id: id(),
    /** The Team of a request that does not specify one. */
    default_account_id: id(),
    revoked_at: at().nullable(),
    name: text().optional(),
    /** In real time, milliseconds; the key does not expire if omitted. */
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
    /** When it was last updated or used in a collection; the listing's order. */
    active_at: at(),
  }),
)
export type ChannelRow = RowOf<typeof channelRow>

export const kycStatus = lazy(() => z.enum(['pending', 'in_review', 'approved', 'rejected']))

const section = lazy(() => z.looseObject({}) as z.ZodType<object>)

export const kycRow = lazy(() =>
  z.object({
    id: id(),
    account_id: id(),
    status: kycStatus(),
    /** Counts submissions and amendments, so that a review planned for an earlier one is not applied. */
    revision: count(),
    /** As it was sent (specification 2.3). */
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
    reasons: z.array(note()).optional(),
    created_at: at(),
    updated_at: at(),
  }),
)
export type KycRow = RowOf<typeof kycRow>
export type KycDetails = KycRow['details']

export const inviteRow = lazy(() =>
  z.object({
    /** Ascending. */
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

export const mailRow = lazy(() =>
  z.object({
    id: id(),
    to: email(),
    subject: note(),
    text: long(),
    link: link(),
    sent_at: at(),
    /** Why it has not been sent; absent if it has been, or need not be. */
    failed: failure()
      .extend({
        /** When it is retried, milliseconds in real time, or null if it is given up. */
        next_at: wallAt().nullable(),
      })
      .optional(),
  }),
)
export type MailRow = RowOf<typeof mailRow>
export type FailedMail = NonNullable<MailRow['failed']>

/** An e-mail to be sent in real time, even while the world's clock is stopped. This is why it is not a job. */
export const mailJobRow = lazy(() =>
  z.object({
    id: id(),
    /** Milliseconds in real time; 0 for immediately. */
    due_at: wallAt(),
    failed: failure().optional(),
  }),
)
export type MailJobRow = RowOf<typeof mailJobRow>
export type FailedJob = NonNullable<MailJobRow['failed']>

/** A phone whose settings were changed; others have no row. */
export const phoneRow = lazy(() =>
  z.object({
    /** Digits with the dial code. */
    number: phone(),
    on: flag(),
    /** Whether the number is registered for mobile money. */
    registered: flag(),
    /** How the operator handles its payments. */
    operator: z.enum(['works', 'busy', 'fails']),
    pin: z.string().regex(/^\d{4,6}$/),
    /** Consecutive attempts. */
    wrong_pins: count(),
    /** By currency, minor units; no limit for other currencies. */
    balances: z.record(code(), z.int().min(0)),
  }),
)
export type PhoneRow = RowOf<typeof phoneRow>

export const inboxRow = lazy(() =>
  z.object({
    id: id(),
    inbox: text(),
    at: at(),
    real_at: wallAt(),
    url: body(),
    headers: headers(),
    body: body(),
    response_status: z.int().nullable(),
    /** Whether the signature is valid, or null if there is none. */
    signature_valid: flag().nullable(),
    /** The profile that was checked and the errors found. */
    signature: z.string().max(1_048_576),
  }),
)
export type InboxRow = RowOf<typeof inboxRow>

export const certificationRow = lazy(() =>
  z.object({
    id: id(),
    subject: text(),
    issued_at: wallAt(),
    ready: flag(),
    text: note(),
    score: z.int().min(0).max(100).nullable(),
    /** The signed certification, base64url. */
    payload: z.base64url().max(400_000),
    /** The header of the signature, base64url, or null if it is unsigned. */
    protected: z.base64url().max(1_000).nullable(),
    signature: z.base64url().max(255).nullable(),
    key_id: text().nullable(),
  }),
)
export type CertificationRow = RowOf<typeof certificationRow>

/** Settings, clock and secrets of a world, one row each. */
export const stateRow = lazy(() => z.object({ name: text(), value: z.unknown() }))
export type StateRow = RowOf<typeof stateRow>

/** The last number used in a sequence. */
export const counterRow = lazy(() => z.object({ name: text(), value: count() }))
export type CounterRow = RowOf<typeof counterRow>
