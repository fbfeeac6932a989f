/** What is wrong in scenario files. */
import type { z } from 'zod'
import type { Issue } from '../validation-messages.ts'

/** Where an issue stands in a file; line and column count from 1. */
export interface PlacedIssue {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** How many issues of a text are told. */
export const MOST_TOLD = 20

/** Scenario files are wrong; the message has a line for each issue: `file:line:column message`. */
export class ScenarioError extends Error {
  readonly issues: readonly PlacedIssue[]
  /** How many issues are not told. */
  readonly more: number

  constructor(issues: readonly PlacedIssue[], more = 0) {
    const lines = issues.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'))
    this.name = 'ScenarioError'
    this.issues = issues
    this.more = more
  }
}

type Path = Issue['path']

/** What a schema refuses, in words and with the place it is about. */
export function issuesOf(issue: z.core.$ZodIssue, before: Path = []): Issue[] {
  const path = [...before, ...(issue.path as Path)]
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n')
    return issue.keys.map((key, index) => ({ path: [...path, key], on_key: true, message: messages[index]! }))
  }
  if (issue.code === 'invalid_union') {
    const branch = branchMeant(issue.errors, issue.input)
    if (branch) return branch.flatMap((inner) => issuesOf(inner, path))
  }
  if (issue.code === 'custom' && issue.params?.['onKey'])
    return [{ path, on_key: true, message: issue.message }]
  const name = path.at(-1)
  const missing = issue.code === 'invalid_type' && issue.input === undefined && name !== undefined
  return [{ path, message: missing ? `${name} is required` : named(name, issue.message) }]
}

/** Of a union's branches, the one that takes this kind of value: it says best what is wrong within it. */
function branchMeant(branches: readonly z.core.$ZodIssue[][], input: unknown) {
  const ofWords = (issue: z.core.$ZodIssue) =>
    issue.code === 'invalid_value' && issue.message.includes(' is not ')
  if (typeof input === 'string') return branches.find((issues) => issues.some(ofWords))
  return branches.find((issues) => issues.length > 0 && !issues.some(isRootIssue))
}

const isRootIssue = (issue: z.core.$ZodIssue) => issue.path.length === 0 && issue.code !== 'unrecognized_keys'

const named = (name: string | number | undefined, message: string) =>
  message.startsWith('must') && name !== undefined ? `${name} ${message}` : message
