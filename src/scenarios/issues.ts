/** What is wrong in scenario files. */
import { andMore, type Telling } from '../lib/text/validation-messages.ts'

/** Where an issue stands in a file; line and column count from 1. */
export interface PlacedIssue {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Scenario files are wrong; the message has a line for each issue: `file:line:column message`. */
export class ScenarioError extends Error {
  readonly issues: readonly PlacedIssue[]
  /** How many issues are not told. */
  readonly more: number

  constructor(issues: readonly PlacedIssue[], more = 0) {
    const lines = issues.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)
    super([...lines, ...andMore(more)].join('\n'))
    this.name = 'ScenarioError'
    this.issues = issues
    this.more = more
  }
}

/** An issue of a file is found by line and column, so that its message names only the last word of the path. */
export const inFile: Telling = { name: (path) => String(path.at(-1) ?? '') }
