import type { z } from 'zod'

/** What makes no sense in a file, and where. */
export interface Complaint {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** It is about the word itself, not what it stands before. */
  readonly on_key?: boolean
}

type Path = Complaint['path']

/** What a schema refuses, in words and with the place it is about. */
export function complaintsOf(issue: z.core.$ZodIssue, before: Path = []): Complaint[] {
  const path = [...before, ...(issue.path as Path)]
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n')
    return issue.keys.map((key, index) => ({ path: [...path, key], on_key: true, message: messages[index]! }))
  }
  if (issue.code === 'invalid_union') {
    const branch = branchMeant(issue.errors, issue.input)
    if (branch) return branch.flatMap((inner) => complaintsOf(inner, path))
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
  return branches.find((issues) => issues.length > 0 && !issues.some(isRootFault))
}

const isRootFault = (issue: z.core.$ZodIssue) => issue.path.length === 0 && issue.code !== 'unrecognized_keys'

const named = (name: string | number | undefined, message: string) =>
  message.startsWith('must') && name !== undefined ? `${name} ${message}` : message
