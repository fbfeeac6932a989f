/**
 * Strict parsers for path, query and header parameters. Each takes the schema of the parsed value; invalid text is
 * rejected, never guessed at.
 */
import type { RouteConfig } from '@hono/zod-openapi'
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'

const integerText = /^-?\d+$/
const numberText = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Whole numbers in plain digits, up to the largest safe integer. */
export const integer = <Value extends z.ZodType<number, number>>(value: Value) =>
  text('must be a whole number in digits, such as 63', integerText)
    .refine((digits) => Number.isSafeInteger(Number(digits)), `must be at most ${Number.MAX_SAFE_INTEGER}`)
    .transform(Number)
    .pipe(value)

/** A whole number in a body, or its digits as text, which older integrations send. */
export const integerOrDigits = <Value extends z.ZodType<number, number>>(value: Value) =>
  z.preprocess((sent) => (typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent), value)

/** Finite decimal numbers, with an optional exponent. */
export const number = <Value extends z.ZodType<number, number>>(value: Value) =>
  text('must be a number, such as 12.5', numberText).transform(Number).pipe(value)

export const boolean = () =>
  text('must be true or false', /^(true|false)$/).transform((word) => word === 'true')

const text = (must: string, form: RegExp) => z.string().regex(form, { error: must, abort: true })

/**
 * Declares a generated operation. Its getters run once, so that only schemas in use are created. The library's
 * `createRoute` would also load the generator of descriptions.
 * @param place - the method and URI template
 */
export function route<const Declared extends Omit<RouteConfig, 'operationId' | 'method' | 'path'>>(
  operationId: string,
  place: string,
  declared: Declared,
): Declared & { readonly operationId: string } & Pick<RouteConfig, 'method' | 'path'> {
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(declared)))
    if (get) Object.defineProperty(declared, name, { get: lazy(get) })
  const [, method, path] = /^([A-Z]+) ([^?]*?)(?:\{\?.*)?$/.exec(place)!
  return Object.assign(declared, {
    operationId,
    method: method!.toLowerCase() as RouteConfig['method'],
    path: path!,
  })
}

/** Declares a response with a JSON body. */
export const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

/** Declares a JSON body of a request. */
export const body = <Schema extends z.ZodType>(schema: Schema, required = true) => ({
  required,
  content: { 'application/json': { schema } },
})
