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
  /** What it says, in a sentence: for editors and for the documentation. */
  readonly description: string
  /**
   * What may stand after it. A start compiles the scenarios that come with the sandbox and reads no file, so schemas are
   * built when the first file is read.
   */
  readonly schema: Schema
  /** A right value, as YAML: for the documentation, and for the test that every word must pass. */
  readonly example: string
  /**
   * What it is about: the answer, the request before the rules look at it, or the result. Beside `respond` only words about
   * the answer make sense; outcomes are described in this order.
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
  /** What makes no sense of a value that is well formed. */
  check(written: z.infer<ReturnType<Schema>>, where: Where): readonly Issue[]
}

/** Where a word stands, for checks that look beyond it. */
export interface Where {
  /** The place of its value in the file. */
  readonly path: Issue['path']
  /** Every word that stands beside it. */
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
