/**
 * The rows of a world except payments (`payment-rows.ts`). Each schema defines the row's type, its import check and its
 * size. Field names are the specification's. Times are milliseconds since the epoch on the world's clock and end in `_at`;
 * money is in minor units.
 */
import * as z from 'zod'
import { lazy } from '../../lib/lazy.ts'
import * as field from './row-fields.ts'
import type { RowOf } from './row-fields.ts'

export const organizationRow = field.object(() => ({
  id: field.id(),
  name: field.text(),
  organization_type: field.text(),
  status: field.text(),
  currency: field.code(),
  kyc_tier: field.count(),
  admin_id: field.id(),
  creator_id: field.id(),
}))

export const userRow = field.object(() => ({
  id: field.id(),
  phone_number: field.phone(),
  first_name: field.text(),
  last_name: field.text(),
  username: field.name(),
  email: field.email(),
  is_admin: field.flag(),
  status: field.text(),
  is_pin_set: field.flag(),
  organization_ids: z.array(field.id()),
}))
export type UserRow = RowOf<typeof userRow>

export const apiKeyRow = field.object(() => ({
  username: field.name(),
  /** See `worlds/credentials.ts`. */
  password_hash: field.text(),
  user_id: field.id(),
  /** The Team of a request that does not specify one. */
  default_account_id: field.id(),
  revoked_at: field.at().nullable(),
  name: field.text().optional(),
  /** In real time, milliseconds; the key does not expire if omitted. */
  expires_at: field.at().optional(),
}))
export type ApiKeyRow = RowOf<typeof apiKeyRow>

const roleId = lazy(() => z.int().min(1).max(4))

export const roleRow = field.object(() => ({
  /** `{account_id}:{user_id}` */
  id: field.text(),
  account_id: field.id(),
  user_id: field.id(),
  role_id: roleId(),
}))
export type RoleRow = RowOf<typeof roleRow>

export const teamRow = field.object(() => ({
  id: field.id(),
  organization_id: field.id(),
  name: field.text(),
  description: field.note(),
  currency: field.code(),
  country: field.country(),
  number: field.phone(),
  email: field.email(),
  status: field.text(),
  account_type: field.text(),
  kyc_tier: field.count(),
  kyc_verified: field.flag(),
  logo: field.url(),
  theme_color: field.code(),
  payment_note: field.note(),
  /** Low-balance threshold, minor units. */
  notify_amount: field.money(),
  /** The Team's slug, taken from `username` at creation; `uuid` in the user profile. */
  uuid: field.name(),
  merchant_id: field.id(),
  created_at: field.at(),
  updated_at: field.at(),
}))
export type TeamRow = RowOf<typeof teamRow>

export const channelRow = field.object(() => ({
  id: field.id(),
  account_id: field.id(),
  transaction_type: field.text(),
  channel_type: z.enum(['bank', 'paybill', 'till', 'wallet']),
  short_code: field.text(),
  account_number: field.text(),
  description: field.note(),
  is_active: field.flag(),
  created_at: field.at(),
  updated_at: field.at(),
  /** When it was last updated or used in a collection; the listing's order. */
  active_at: field.at(),
}))
export type ChannelRow = RowOf<typeof channelRow>

export const kycStatus = lazy(() => z.enum(['pending', 'in_review', 'approved', 'rejected']))

const section = lazy(() => z.looseObject({}) as z.ZodType<object>)

export const kycRow = field.object(() => ({
  id: field.id(),
  account_id: field.id(),
  status: kycStatus(),
  /** Counts submissions and amendments, so that a review planned for an earlier one is not applied. */
  revision: field.count(),
  /** As it was sent (specification 2.3). */
  details: z.object({
    entity_type: field.text().optional(),
    country_code: field.country().optional(),
    country: field.country().optional(),
    kyc_tier: field.count().optional(),
    notes: field.long().optional(),
    contact_information: section().optional(),
    entity_information: section().optional(),
    account_information: section().optional(),
  }),
  reasons: z.array(field.note()).optional(),
  created_at: field.at(),
  updated_at: field.at(),
}))
export type KycRow = RowOf<typeof kycRow>
export type KycDetails = KycRow['details']

export const inviteRow = field.object(() => ({
  /** Ascending. */
  id: field.id(),
  token: field.text(),
  organization_id: field.id(),
  account_id: field.id(),
  email: field.email(),
  phone_number: field.phone(),
  role_id: roleId(),
  assigned_account_ids: z.array(field.id()),
  link: field.link(),
  status: z.enum(['sent', 'accepted', 'declined']),
  created_at: field.at(),
}))
export type InviteRow = RowOf<typeof inviteRow>

export const mailRow = field.object(() => ({
  id: field.id(),
  to: field.email(),
  subject: field.note(),
  text: field.long(),
  link: field.link(),
  sent_at: field.at(),
  /** Why it has not been sent; absent if it has been, or need not be. */
  failed: field
    .failure()
    .extend({
      /** When it is retried, milliseconds in real time, or null if it is given up. */
      next_at: field.wallAt().nullable(),
    })
    .optional(),
}))
export type MailRow = RowOf<typeof mailRow>
export type FailedMail = NonNullable<MailRow['failed']>

/** An e-mail to be sent in real time, even while the world's clock is stopped. This is why it is not a job. */
export const mailJobRow = field.object(() => ({
  id: field.id(),
  /** Milliseconds in real time; 0 for immediately. */
  due_at: field.wallAt(),
  failed: field.failure().optional(),
}))
export type MailJobRow = RowOf<typeof mailJobRow>
export type FailedJob = NonNullable<MailJobRow['failed']>

/** A phone whose settings were changed; others have no row. */
export const phoneRow = field.object(() => ({
  /** Digits with the dial code. */
  number: field.phone(),
  on: field.flag(),
  /** Whether the number is registered for mobile money. */
  registered: field.flag(),
  /** How the operator handles its payments. */
  operator: z.enum(['works', 'busy', 'fails']),
  pin: z.string().regex(/^\d{4,6}$/),
  /** Consecutive attempts. */
  wrong_pins: field.count(),
  /** By currency, minor units; no limit for other currencies. */
  balances: z.record(field.code(), z.int().min(0)),
}))
export type PhoneRow = RowOf<typeof phoneRow>

export const inboxRow = field.object(() => ({
  id: field.id(),
  inbox: field.text(),
  at: field.at(),
  real_at: field.wallAt(),
  url: field.body(),
  headers: field.headers(),
  body: field.body(),
  response_status: z.int().nullable(),
  /** Whether the signature is valid, or null if there is none. */
  signature_valid: field.flag().nullable(),
  /** The profile that was checked and the errors found. */
  signature: z.string().max(1_048_576),
}))
export type InboxRow = RowOf<typeof inboxRow>

export const certificationRow = field.object(() => ({
  id: field.id(),
  subject: field.text(),
  issued_at: field.wallAt(),
  standing: z.enum(['ready', 'ready_with_waivers', 'so_far', 'undecided', 'not_ready']),
  text: field.note(),
  score: z.int().min(0).max(100).nullable(),
  /** The signed certification, base64url. */
  payload: z.base64url().max(400_000),
  /** The header of the signature, base64url, or null if it is unsigned. */
  protected: z.base64url().max(1_000).nullable(),
  signature: z.base64url().max(255).nullable(),
  key_id: field.text().nullable(),
  /** The plan of a witnessed run. */
  plan: field.text().nullable(),
  shop_version: field.text().nullable(),
  witnessed: z.boolean(),
  expires_at: field.wallAt().nullable(),
  /** The entry of the public register. */
  entry: field.text().nullable(),
}))
export type CertificationRow = RowOf<typeof certificationRow>

/** Settings, clock and secrets of a world, one row each. */
export const stateRow = lazy(() => z.object({ name: field.text(), value: z.unknown() }))
export type StateRow = RowOf<typeof stateRow>

/** The last number used in a sequence. */
export const counterRow = lazy(() => z.object({ name: field.text(), value: field.count() }))
export type CounterRow = RowOf<typeof counterRow>
