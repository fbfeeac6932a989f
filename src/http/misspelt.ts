import type { z } from 'zod'
import { suggest } from '../suggest.ts'
import { shapeOf } from '../scenarios/operations.ts'

type Path = readonly PropertyKey[]

/**
 * A field that was sent, that nobody knows, and that was probably meant for the one that is missing: `ammount` for
 * `amount`, `accountId` for `account_id`. Unknown fields are no fault by themselves.
 * @param path of the missing field
 */
export function misspelt(schema: z.ZodType, sent: unknown, path: Path): string | undefined {
  let shape = shapeOf(schema)
  let value = sent
  for (const name of path.slice(0, -1)) {
    shape = shapeOf(shape?.[String(name)])
    value = (value as Record<PropertyKey, unknown> | null | undefined)?.[name]
  }
  if (!shape || typeof value !== 'object' || value === null) return undefined
  const known = shape
  const missing = String(path.at(-1))
  return suggest(
    missing,
    Object.keys(value).filter((name) => !Object.hasOwn(known, name)),
  )
}
