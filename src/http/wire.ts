/**
 * Strict readers for the texts of path, query and header parameters. Each takes the schema that the value read must
 * satisfy; a text that is no such value is refused, never guessed at.
 */
import type { RouteConfig } from '@hono/zod-openapi'
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'

const integerText = /^-?\d+$/
const numberText = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Whole numbers in plain digits, within the range a number holds exactly. */
export const integer = <Value extends z.ZodType<number, number>>(value: Value) =>
  text('must be a whole number in digits, such as 63', integerText)
    .refine((digits) => Number.isSafeInteger(Number(digits)), `must be at most ${Number.MAX_SAFE_INTEGER}`)
    .transform(Number)
    .pipe(value)

/** A whole number of a body, or its digits as text, which older integrations send. */
export const integerOrDigits = <Value extends z.ZodType<number, number>>(value: Value) =>
  z.preprocess((sent) => (typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent), value)

/** Decimal numbers, with an exponent if need be; finite. */
export const number = <Value extends z.ZodType<number, number>>(value: Value) =>
  text('must be a number, such as 12.5', numberText).transform(Number).pipe(value)

/** The words `true` and `false`. */
export const boolean = () =>
  text('must be true or false', /^(true|false)$/).transform((word) => word === 'true')

const text = (must: string, form: RegExp) => z.string().regex(form, { error: must, abort: true })

/**
 * An operation as the generated code declares it. Its getters are asked once, so that schemas are made for what is used
 * of them and no more. The library's own `createRoute` also brings the writing of descriptions, which is not done here.
 */
export function route<const Route extends RouteConfig>(declared: Route): Route {
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(declared)))
    if (get) Object.defineProperty(declared, name, { get: lazy(get) })
  return declared
}
