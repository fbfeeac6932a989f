/** What the rows of each table look like, for rows that come from outside. */
import * as z from 'zod'
import { FIRST_TIME, LAST_TIME } from '../clock/bounds.ts'
import { callbackFaults, retryProfiles } from '../terms.ts'
import { reasonNames } from '../reasons.ts'
import { FASTEST_PACE, LONGEST_DURATION, SLOWEST_PACE } from '../duration.ts'
import { lazy } from '../lazy.ts'
import type { Row, TableName } from '../store/tables.ts'

/** Sequences go on from the highest number, and a number must hold the next one too. */
export const MOST_COUNTED = 1_000_000_000_000

/** Made when rows are first imported: no start waits for them. Fields that they do not name are kept as they are. */
export const rowShapes = lazy(() => {
  const id = z.int().min(0).max(MOST_COUNTED)
  const money = z.int()
  const count = z.int().min(0).max(MOST_COUNTED)
  const at = z.number().min(FIRST_TIME).max(LAST_TIME)
  const wallAt = z.number().min(-8.64e15).max(8.64e15)
  // As long as the description says, so that every row can be shown.
  const text = z.string().max(255)
  const code = z.string().max(16)
  const phone = z.string().max(32)
  const country = z.string().max(64)
  const email = z.string().max(254)
  const name = z.string().max(512)
  const note = z.string().max(1_000)
  const link = z.string().max(20_000)
  const url = z.string().max(2_048)
  const long = z.string().max(10_000)
  const body = z.string().max(65_536)
  const headers = z.record(body, body)
  const after = z.int().min(0).max(LONGEST_DURATION)
  const reason = z.enum(reasonNames)
  const status = z.enum(['QUEUED', 'SUCCESS', 'FAILED', 'REVERSED'])
  const review = z.enum(['pending', 'in_review', 'approved', 'rejected'])
  const ended = z.enum(['success', 'reversed'])
  const shape = z.enum(['flat', 'nested'])
  const fault = z.enum(callbackFaults)
  const failed = z.looseObject({ times: count, at: wallAt, error: long, given_up: z.boolean() })
  const retry = z.looseObject({
    profile: z.enum(retryProfiles).optional(),
    speed: z.number().min(SLOWEST_PACE).max(FASTEST_PACE).optional(),
  })
  const plan = z.looseObject({
    settle: z
      .looseObject({
        status: z.enum(['success', 'failed']).optional(),
        reason: reason.optional(),
        after: after.optional(),
        after_polls: z.int().min(1).optional(),
        never: z.boolean().optional(),
      })
      .optional(),
    later: z.array(z.looseObject({ after, status: ended })).optional(),
    callback: z
      .looseObject({
        after: after.optional(),
        times: z.int().min(1).max(100).optional(),
        first: z.boolean().optional(),
        drop: z.boolean().optional(),
        out_of_order: z.boolean().optional(),
        shape: shape.optional(),
        fault: fault.optional(),
        retry: retry.optional(),
      })
      .optional(),
  })
  const past = z.looseObject({ at, status, reason: reason.nullable(), refused: body.optional() })
  const task = z.discriminatedUnion('kind', [
    z.looseObject({
      kind: z.literal('settle'),
      transaction_id: id,
      status: z.enum(['SUCCESS', 'FAILED']),
      reason: reason.nullable(),
    }),
    z.looseObject({
      kind: z.literal('review'),
      kyc_id: id,
      revision: count,
      status: review,
      reasons: z.array(note).optional(),
    }),
    z.looseObject({
      kind: z.literal('later'),
      transaction_id: id,
      status: z.enum(['SUCCESS', 'REVERSED']),
    }),
    z.looseObject({ kind: z.literal('channel'), channel_id: id, is_active: z.boolean() }),
    z.looseObject({ kind: z.literal('callback'), callback_id: id, failed: count.optional() }),
  ])
  const details = z.looseObject({
    entity_type: text.optional(),
    country_code: country.optional(),
    country: country.optional(),
    kyc_tier: count.optional(),
    notes: long.optional(),
    contact_information: z.looseObject({}).optional(),
    entity_information: z.looseObject({}).optional(),
    account_information: z.looseObject({}).optional(),
  })
  return {
    organizations: z.looseObject({
      id,
      name: text,
      organization_type: text,
      status: text,
      currency: code,
      kyc_tier: count,
      admin_id: id,
      creator_id: id,
    }),
    users: z.looseObject({
      id,
      phone_number: phone,
      first_name: text,
      last_name: text,
      username: name,
      email,
      is_admin: z.boolean(),
      status: text,
      is_pin_set: z.boolean(),
      organization_ids: z.array(id),
    }),
    apiKeys: z.looseObject({
      username: name,
      password_hash: text.optional(),
      password_sha256: text.optional(),
      user_id: id,
      default_account_id: id,
      revoked_at: at.nullable(),
    }),
    roles: z.looseObject({ id: text, account_id: id, user_id: id, role_id: z.int().min(1).max(4) }),
    teams: z.looseObject({
      id,
      organization_id: id,
      name: text,
      description: note,
      currency: code,
      country,
      number: phone,
      email,
      status: text,
      account_type: text,
      kyc_tier: count,
      kyc_verified: z.boolean(),
      logo: url,
      theme_color: code,
      payment_note: note,
      notify_amount: money,
      uuid: name,
      merchant_id: id,
      created_at: at,
      updated_at: at,
    }),
    channels: z.looseObject({
      id,
      account_id: id,
      transaction_type: text,
      channel_type: z.enum(['bank', 'paybill', 'till', 'wallet']),
      short_code: text,
      account_number: text,
      description: note,
      is_active: z.boolean(),
      created_at: at,
      updated_at: at,
      active_at: at,
    }),
    kycs: z.looseObject({
      id,
      account_id: id,
      status: review,
      revision: count,
      details,
      reasons: z.array(note).optional(),
      created_at: at,
      updated_at: at,
    }),
    invites: z.looseObject({
      token: text,
      organization_id: id,
      account_id: id,
      email,
      phone_number: phone,
      role_id: z.int().min(1).max(4),
      assigned_account_ids: z.array(id),
      link,
      status: z.enum(['sent', 'accepted', 'declined']),
      created_at: at,
    }),
    mails: z.looseObject({ id, to: email, subject: note, text: long, link, sent_at: at }),
    mailJobs: z.looseObject({ id, due_at: wallAt, failed: failed.optional() }),
    transactions: z.looseObject({
      id,
      operation: z.enum(['createCollection', 'createWithdrawal', 'createGlobalPayment']),
      direction: z.enum(['payin', 'payout']),
      rail: z.enum(['momo', 'bank', 'card']),
      status,
      reason: reason.nullable(),
      account_id: id,
      channel_id: id.nullable(),
      is_offline: z.boolean(),
      amount: money,
      cost: money,
      amount_to_save: money,
      currency: code,
      country,
      provider: text,
      party: text,
      reference: text,
      checkout_request_id: text,
      external_reference: text,
      provider_reference: text,
      callback_url: url,
      redirect_url: url,
      plan: plan.nullable(),
      polls: count.optional(),
      created_at: at,
      settled_at: at.nullable(),
      kept_from: at.optional(),
      history: z.array(past).optional(),
    }),
    postings: z.looseObject({
      id,
      at,
      kind: text,
      currency: code,
      transaction_id: id.nullable(),
      lines: z.array(z.looseObject({ account: text, amount: money })),
    }),
    balances: z.looseObject({ account: text, currency: code, amount: money }),
    carried: z.looseObject({ account: text, currency: code, amount: money }),
    usage: z.looseObject({ id: text, day: count, amount: money }),
    jobs: z.looseObject({ id, due_at: at, task, failed: failed.optional() }),
    callbacks: z.looseObject({
      id,
      transaction_id: id,
      url,
      shape,
      body,
      fault: fault.nullable(),
      out_of_order: z.boolean().optional(),
      retry: retry.optional(),
      state: z.enum(['pending', 'delivered', 'failed']),
      ended_by: id.optional(),
      created_at: at,
    }),
    attempts: z.looseObject({
      id,
      callback_id: id,
      at,
      wall_at: wallAt,
      duration_ms: z.number().min(0),
      url: body,
      request_headers: headers,
      request_body: body.nullable(),
      status: z.int().nullable(),
      answer_headers: headers,
      answer_body: z.string().max(4_096),
      error: body,
      advice: body,
      next_at: at.nullable(),
    }),
    inbox: z.looseObject({
      id,
      inbox: text,
      at,
      wall_at: wallAt,
      url: body,
      headers,
      body,
      answered: z.int().nullable(),
      signature_holds: z.boolean().nullable(),
      signature: z.string().max(1_048_576),
    }),
    counters: z.looseObject({ name: text, value: count }),
    state: z.looseObject({ name: text, value: z.unknown() }),
  } satisfies { readonly [Name in TableName]: z.ZodType<Row<Name>> }
})
