import type { z } from 'zod'
import { invalid } from '../domain/errors.ts'
import { shapeOf } from '../scenarios/operations.ts'

/** How many of the fields sent a message repeats. */
const MOST_TOLD = 20

/**
 * Looks at a change: one that gives none of the fields there are would be answered as if it had been made.
 * @throws ServiceError 400 with the fields there are, and with what was sent one level too deep
 */
export function requireChange(schema: z.ZodType, sent: unknown): void {
  const known = Object.keys(shapeOf(schema) ?? {})
  const given = Object.entries((sent ?? {}) as object)
  if (known.length === 0 || given.some(([name]) => known.includes(name))) return
  const wrapper = given.find(
    ([, value]) => isObject(value) && known.some((name) => Object.hasOwn(value, name)),
  )
  const got = given
    .slice(0, MOST_TOLD)
    .map(([name]) => name)
    .join(', ')
  throw invalid(
    wrapper
      ? `the request body changes nothing: its fields stand at the top, not within ${wrapper[0]}; there are ${known.join(', ')}`
      : `the request body changes nothing; give at least one of ${known.join(', ')}${got && `, got ${got}`}`,
  )
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
