/** What the rows of each table look like, for rows that come from outside. */
import * as z from 'zod'
import { lazy } from '../lazy.ts'
import { rowFields } from '../store/row-fields.ts'
import type { Row, TableName } from '../store/tables.ts'
import { transactionShape } from '../store/transaction-row.ts'

/** A shape that names every field of the rows of a table, those too that need not be there. */
type ShapeOf<Name extends TableName> = z.ZodType<Row<Name>> & {
  readonly shape: Readonly<Record<keyof Row<Name>, z.ZodType>>
}

/** Made when rows are first imported: no start waits for them. Fields that they do not name are kept as they are. */
export const rowShapes = lazy(() => {
  const { id, money, count, at, wallAt, text, code, phone, country, email, name, note, link } = rowFields()
  const { url, long, body, headers, reason, review, shape, fault, failed, retry } = rowFields()
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
    z.looseObject({ kind: z.literal('expire'), transaction_id: id }),
    z.looseObject({ kind: z.literal('unanswered'), transaction_id: id }),
    z.looseObject({
      kind: z.literal('later'),
      transaction_id: id,
      status: z.enum(['SUCCESS', 'REVERSED']),
    }),
    z.looseObject({ kind: z.literal('expire_offline'), transaction_id: id }),
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
      id: id.optional(),
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
    transactions: transactionShape(),
    phones: z.looseObject({
      number: phone,
      on: z.boolean(),
      registered: z.boolean(),
      operator: z.enum(['works', 'busy', 'fails']),
      pin: z.string().regex(/^\d{4,6}$/),
      wrong_pins: count,
      balances: z.record(code, z.int().min(0)),
    }),
    postings: z.looseObject({
      id,
      at,
      kind: text,
      currency: code,
      transaction_id: id.nullable(),
      lines: z.union([
        z.array(z.union([text, money])).refine(arePairs, 'must have an account and an amount for each line'),
        z.array(z.looseObject({ account: text, amount: money })),
      ]),
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
      fired: z.boolean().optional(),
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
  } satisfies { readonly [Name in TableName]: ShapeOf<Name> }
})

const arePairs = (values: readonly (string | number)[]) =>
  values.length % 2 === 0 &&
  values.every((value, at) => typeof value === (at % 2 === 0 ? 'string' : 'number'))
