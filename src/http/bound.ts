import type { Context, Handler } from 'hono'
import type { z } from 'zod'
import type { Fields } from '../domain/facts.ts'
import type { Env } from './env.ts'

/** One generated route in the parts that a request is held against. */
export interface Bound {
  readonly id: string
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly headers: z.ZodType | undefined
  readonly body: BoundBody | undefined
  readonly handler: Handler
  readonly kind: 'service' | 'control' | 'admin'
  /** What the caller of the sandbox's own API must be allowed; the service looks at its Teams instead. */
  readonly needs: 'owner' | 'more than reading' | 'reading' | 'nothing'
  /** It adds to the world's rows: not done when these have spent their budget. */
  readonly grows: boolean
}

export type BodyReader = (
  c: Context<Env>,
  body: BoundBody,
  check: (value: unknown) => Fields,
) => Promise<Fields>

export interface BoundBody {
  readonly lenient: z.ZodType
  readonly documented: z.ZodType
  readonly required: boolean
  /** Bytes. */
  readonly limit: number
  /** It may be YAML too. */
  readonly yaml: boolean
  /** Reads it where it is too long to be read at once, with what holds it against the schema. */
  readonly reader?: BodyReader | undefined
  /** At least one known field must be given. */
  readonly change: boolean
}
