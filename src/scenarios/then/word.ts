import type { z } from 'zod'
import type { ScenarioThen } from '../../generated/scenario-file.ts'
import type { Outcome, Plan } from '../../service/vocabulary/outcome.ts'
import type { Direction } from '../../service/vocabulary/terms.ts'
import type { Issue } from '../../lib/text/validation-messages.ts'

/**
 * The parts of an outcome. `http/scenario` performs those of the answer and the request, and `service/domain` performs the review and the
 * parts of the plan. Each performer takes its parts apart by name, so that a part without a performer does not compile.
 */
export type Part = Exclude<keyof Outcome, 'plan'> | keyof Plan
export type PartValue<P extends Part> = NonNullable<(Outcome & Plan)[P]>

/** The definition of one word of `then`. A word takes part as soon as it has a row in `table.ts`. */
export interface Word<Schema extends () => z.ZodType = () => z.ZodType, P extends Part = Part> {
  /** Its description in one sentence for editors and the documentation. */
  readonly description: string
  /** The schema of its value, built with the first file, since a start only compiles shipped scenarios. */
  readonly schema: Schema
  /** A right value, as YAML: for the documentation, and for the test that every word must pass. */
  readonly example: string
  /**
   * Its subject: the answer, the request before the rules check it, or the result. Only words about the answer combine with
   * `respond`. Descriptions follow this order.
   */
  readonly about: 'answer' | 'request' | 'result'
  /** The operations it means something to; null: every one. */
  readonly operations: readonly string[] | null
  /** The part of an outcome that performs the word. */
  readonly part: P
  /** Returns the value of the part, durations in milliseconds. @param written checked */
  compile(written: z.infer<ReturnType<Schema>>): PartValue<P>
  /** Describes the part: for `Sandbox-Outcome` and the tables of scenarios. */
  describe(value: PartValue<P>): readonly string[]
  /** Returns faults of a value beyond its schema. */
  check(written: z.infer<ReturnType<Schema>>, where: Where): readonly Issue[]
}

/** The place of a word, for checks that involve other words. */
export interface Where {
  /** The place of its value in the file. */
  readonly path: Issue['path']
  /** All words of the `then`. */
  readonly then: ScenarioThen
  /** The operations that the file is about. */
  readonly operations: readonly string[]
  /** Whether the file names them. If not, it is for all that its words fit. */
  readonly named: boolean
  /** The direction of every request that the file is about, when there is only one. */
  readonly direction: Direction | undefined
}

/** For words of which every well-formed value makes sense. */
export const noIssues = (): readonly Issue[] => []
