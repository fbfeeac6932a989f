/** What is wrong, and where; line and column count from 1. */
export interface Fault {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Scenario files are wrong; the message has a line for each fault: `file:line:column message`. */
export class ScenarioError extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`).join('\n'))
    this.name = 'ScenarioError'
    this.faults = faults
  }
}
