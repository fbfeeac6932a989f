/** What the fields of rows may hold, for rows that come from outside. */
import * as z from 'zod'
import { FIRST_TIME, LAST_TIME } from '../../lib/clock/bounds.ts'
import { FASTEST_PACE, LONGEST_DURATION, SLOWEST_PACE } from '../../lib/text/duration.ts'
import { lazy } from '../../lib/lazy.ts'
import { reasonNames } from '../../service/vocabulary/reasons.ts'
import {
  callbackFaults,
  callbackMethods,
  MOST_PADDING,
  retryProfiles,
  statementFaults,
} from '../../service/vocabulary/terms.ts'

/** Sequences go on from the highest number, and a number must hold the next one too. */
export const MOST_COUNTED = 1_000_000_000_000

/** Made when rows are first imported: no start waits for them. */
export const rowFields = lazy(() => {
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
  const method = z.enum(callbackMethods)
  const padding = z.int().min(1).max(MOST_PADDING)
  const fields = z.record(text, z.unknown())
  const failed = z.looseObject({ times: count, at: wallAt, error: long, given_up: z.boolean() })
  const retry = z.looseObject({
    profile: z.enum(retryProfiles).optional(),
    speed: z.number().min(SLOWEST_PACE).max(FASTEST_PACE).optional(),
  })
  // Both are sent as headers.
  const trace = z.looseObject({
    traceparent: z.string().regex(/^00-[\da-f]{32}-[\da-f]{16}-0[0-3]$/),
    tracestate: z
      .string()
      .regex(/^[\x20-\x7e]{1,512}$/)
      .optional(),
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
        together: z.boolean().optional(),
        set: fields.optional(),
        method: method.optional(),
        content_type: text.optional(),
        padding: padding.optional(),
        retry: retry.optional(),
      })
      .optional(),
    look_up: z
      .looseObject({
        status: z.enum(['queued', 'success', 'failed', 'reversed']).optional(),
        reason: reason.optional(),
        set: fields.optional(),
      })
      .optional(),
    statement: z.enum(statementFaults).optional(),
  })
  return {
    id,
    money,
    count,
    at,
    wallAt,
    text,
    code,
    phone,
    country,
    email,
    name,
    note,
    link,
    url,
    long,
    body,
    headers,
    reason,
    review,
    status,
    shape,
    fault,
    method,
    padding,
    failed,
    retry,
    plan,
    trace,
  }
})
