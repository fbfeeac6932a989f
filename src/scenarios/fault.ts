/** What is wrong, and where; line and column count from 1. */
export interface Fault {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** How many faults of a text are told. */
export const MOST_TOLD = 20

/** Scenario files are wrong; the message has a line for each fault: `file:line:column message`. */
export class ScenarioError extends Error {
  readonly faults: readonly Fault[]
  /** How many faults are not told. */
  readonly more: number

  constructor(faults: readonly Fault[], more = 0) {
    const lines = faults.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'))
    this.name = 'ScenarioError'
    this.faults = faults
    this.more = more
  }
}
