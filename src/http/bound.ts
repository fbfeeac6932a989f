import type { Handler } from 'hono'
import type { z } from 'zod'

/** One generated route in the parts that a request is held against. */
export interface Bound {
  readonly id: string
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly headers: z.ZodType | undefined
  readonly body: BoundBody | undefined
  readonly handler: Handler
  readonly kind: 'service' | 'control' | 'admin'
  /** A call of the sandbox's own API that changes something. */
  readonly changes: boolean
  /** Only the world's owner may call it. */
  readonly ownersOnly: boolean
  /** It adds to the world's rows: not done when these have spent their budget. */
  readonly grows: boolean
}

export interface BoundBody {
  readonly lenient: z.ZodType
  readonly documented: z.ZodType
  readonly required: boolean
  /** Bytes. */
  readonly limit: number
  /** It may be YAML too. */
  readonly yaml: boolean
  /** At least one known field must be given. */
  readonly change: boolean
}
