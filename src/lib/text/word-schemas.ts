/** Zod schemas whose messages suggest the nearest accepted word. */
import * as z from 'zod'
import { durationIssue, type DurationLimits, formatDuration, parseDuration } from './duration.ts'
import { shown } from './shown.ts'
import { didYouMean } from './suggest.ts'
import { MOST_TOLD } from './validation-messages.ts'

/** Returns `"slep" is not <what> (did you mean sleep?)`, or the list of accepted words if none is similar. */
export function unknown(word: unknown, what: string, known: readonly string[]): string {
  // A similar number is no useful suggestion.
  const said = typeof word === 'string' && !/^\d+$/.test(word) ? didYouMean(word, known) : ''
  return `${word === undefined ? word : shown(word)} is not ${what}${said || ` (known are ${known.join(', ')})`}`
}

/** Returns the message for an unknown word, without a suggestion once the list of issues is full. */
const strange = (key: string, n: number, known: readonly string[]) =>
  n < MOST_TOLD ? unknown(key, 'a known key', known) : 'not a known key'

/** An object with only these keys; unknown ones are reported one per line. */
export const words = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key, n) => strange(key, n, Object.keys(shape))).join('\n')
        : `must be a map with ${Object.keys(shape).join(', ')}`,
  })

/** Returns the shape of an object whose keys may all be omitted. */
export const optional = (fields: {
  readonly [name: string]: { schema(): z.ZodType; readonly description: string }
}) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema, description }]) => [
      name,
      schema().optional().describe(description),
    ]),
  )

export const oneOf = <const Word extends string>(what: string, known: readonly Word[]) =>
  z.enum(known, { error: (issue) => unknown(issue.input, what, known) })

export const text = () =>
  z
    .string({
      error: (issue) => (typeof issue.input === 'number' ? 'must be text in quotes' : 'must be text'),
    })
    .min(1, { error: 'must not be empty' })
export const yes = () => z.literal(true, { error: 'must be true or omitted' })

export const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => {
  const error = `must be a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

export const number = () => z.number({ error: 'must be a number' })

export const numberWithin = (least: number, most: number) => {
  const error = `must be a number from ${least} to ${most}`
  return z.number({ error }).min(least, { error }).max(most, { error })
}

/** A duration as written in files: `3s`, `10m`, or a number of milliseconds. */
export const duration = (limits?: DurationLimits) =>
  z
    .custom<string | number>((value) => durationIssue(value, limits) === undefined, {
      error: (issue) => durationIssue(issue.input, limits),
    })
    .meta({ type: ['string', 'integer'] })

/** Parses a validated duration into milliseconds. */
export function milliseconds(written: string | number): number
export function milliseconds(written: string | number | undefined): number | undefined
export function milliseconds(written: string | number | undefined): number | undefined {
  return written === undefined ? undefined : parseDuration(written)
}

export const timeText = (ms: number) => formatDuration(Math.round(ms))

/** Maximum number of characters in all values together, as JSON. */
const MOST_FIELDS = 4_096

/** Fields with any values, to merge into a body. */
export const fields = () =>
  z
    .record(z.string(), z.unknown(), { error: 'must be a map of fields, such as { amount: 10 }' })
    .refine((value) => Object.keys(value).length > 0, { error: 'must have a field' })
    .refine((value) => JSON.stringify(value).length <= MOST_FIELDS, {
      error: `must have at most ${MOST_FIELDS} characters as JSON`,
    })
