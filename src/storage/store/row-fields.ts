/** The kinds of fields in rows and the values they accept. Schemas are built lazily, so that they do not slow down the start. */
import * as z from 'zod'
import { FIRST_TIME, LAST_TIME } from '../../lib/clock/clock.ts'
import { LONGEST_DURATION } from '../../lib/text/duration.ts'
import { lazy } from '../../lib/lazy.ts'
import type { Frozen } from '../../lib/objects.ts'
import { reasonNames } from '../../service/vocabulary/rails.ts'

/** A row as the store keeps it: replaced as a whole, never changed in place. */
export type RowOf<Schema extends () => z.ZodType> = Frozen<z.output<ReturnType<Schema>>>
/** Sequences continue from the highest number, so there must be room for the next one. */
export const MOST_COUNTED = 1_000_000_000_000

/** Returns the schema of rows with these fields. */
export const object = <Shape extends z.ZodRawShape>(fields: () => Shape) => lazy(() => z.object(fields()))

const texts = (most: number) => lazy(() => z.string().max(most))

export const id = lazy(() => z.int().min(0).max(MOST_COUNTED))
export const count = id
/** A whole number of the currency's minor unit. */
export const money = lazy(() => z.int())
/** Milliseconds since the epoch on the world's clock. */
export const at = lazy(() => z.number().min(FIRST_TIME).max(LAST_TIME))
export const wallAt = lazy(() => z.number().min(-8.64e15).max(8.64e15))
export const after = lazy(() => z.int().min(0).max(LONGEST_DURATION))
export const flag = lazy(() => z.boolean())
export const reason = lazy(() => z.enum(reasonNames))

// As long as the description allows, so that every row can be returned.
export const text = texts(255)
export const code = texts(16)
export const phone = texts(32)
export const country = texts(64)
export const email = texts(254)
export const name = texts(512)
export const note = texts(1_000)
export const link = texts(20_000)
export const url = texts(2_048)
export const long = texts(10_000)
export const body = texts(65_536)
export const headers = lazy(() => z.record(body(), body()))

/** How often and why a job or an e-mail failed unexpectedly. */
export const failure = object(() => ({
  times: count(),
  /** When it last failed, on the same clock as the row's other times. */
  at: wallAt(),
  error: long(),
  /** It is not retried automatically. */
  abandoned: flag(),
}))

/** What a transaction comes to in its Team's currency, minor units. */
export const exchange = object(() => ({
  currency: code(),
  amount: money(),
  cost: money(),
  amount_to_save: money(),
  /** Units of the Team's currency for one of the transaction's. */
  rate: z.number().positive(),
  /** What the service keeps of the worth at the middle rate. */
  difference: money(),
}))
export type Exchange = RowOf<typeof exchange>
