import type { z } from 'zod'
import type { ScenarioThen } from '../../generated/scenario-file.ts'
import type { Outcome, Plan } from '../../service/vocabulary/outcome.ts'
import type { Direction } from '../../service/vocabulary/terms.ts'
import type { Issue } from '../../lib/text/validation-messages.ts'

/**
 * The parts of an outcome. `http/serve.ts` handles those of the response and the request, and
 * `service/domain` handles the review and the plan. Each handler destructures its parts by name, so a part
 * without a handler does not compile.
 */
export type Part = Exclude<keyof Outcome, 'plan'> | keyof Plan
type PartValue<P extends Part> = NonNullable<(Outcome & Plan)[P]>

/** The definition of one word of `then`, in use once it has a row in `table.ts`. */
export interface Word<Schema extends () => z.ZodType = () => z.ZodType, P extends Part = Part> {
  /** One sentence for editors and the documentation. */
  readonly description: string
  /**
   * The schema of its value. Built when the first file is validated, since shipped scenarios are not
   * validated at the start.
   */
  readonly schema: Schema
  /** A valid value as YAML, for the documentation and the test of every word. */
  readonly example: string
  /**
   * Whether the word concerns the response, the request before it is checked, or the result. Only words about
   * the response combine with `respond`. Descriptions follow this order.
   */
  readonly about: 'response' | 'request' | 'result'
  /** The operations it applies to; null for all. */
  readonly operations: readonly string[] | null
  /** The part of an outcome that the word sets. */
  readonly part: P
  /** Returns the value of the part, with durations in milliseconds. */
  compile(written: z.infer<ReturnType<Schema>>): PartValue<P>
  /** Describes the part for `Sandbox-Outcome` and the scenario tables. */
  describe(value: PartValue<P>): readonly string[]
  /** Reports issues beyond the schema. */
  check?(written: z.infer<ReturnType<Schema>>, where: Where): readonly Issue[]
}

/** Lets the compiler infer the types of a word. */
export const word = <Schema extends () => z.ZodType, P extends Part>(word: Word<Schema, P>) => word

/** Where a word occurs, for checks that involve other words. */
export interface Where {
  /** The path of its value in the file. */
  readonly path: Issue['path']
  readonly then: ScenarioThen
  readonly operations: readonly string[]
  /** Whether the file names the operations. */
  readonly named: boolean
  /** The direction of all requests that the file applies to, or undefined if both are possible. */
  readonly direction: Direction | undefined
}
