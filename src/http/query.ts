import type { Context } from 'hono'
import type { z } from 'zod'
import { invalid } from '../domain/errors.ts'

/**
 * The parameters of the query, each once.
 * @throws ServiceError 400 when one that the operation knows is there several times: which is meant cannot be told
 */
export function readQuery(c: Context, schema: z.ZodType): Record<string, string> {
  const known = (schema as z.ZodObject).shape
  const read: Record<string, string> = {}
  for (const [name, sent] of Object.entries(c.req.queries())) {
    if (sent.length > 1 && Object.hasOwn(known, name))
      throw invalid(
        `${name} must be sent once, got ${sent.map((each) => JSON.stringify(each)).join(' and ')}`,
      )
    read[name] = sent[0]!
  }
  return read
}
