import type { WorldClient } from '../client/types.ts'
import { SandboxError } from '../client/transport.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { suggestion } from '../lib/text/suggest.ts'
import { issuesText, reporting } from '../lib/text/validation-messages.ts'
import { type ToolAnswer, ToolError } from './tool.ts'
import { tools } from './tools.ts'

/** The answer of a call as the protocol has it. */
export interface CallResult {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  [more: string]: unknown
}

/** Does what a tool is asked for. Whatever goes wrong is told so that the next call can be right. */
export async function callTool(world: WorldClient, name: string, given: unknown): Promise<CallResult> {
  const found = tools.find((each) => each.name === name)
  if (!found)
    return failed(
      `there is no tool ${name}${suggestion(
        name,
        tools.map((each) => each.name),
      )}`,
    )
  const read = found.input.safeParse(given ?? {}, reporting)
  if (!read.success)
    return failed(issuesText(read.error, { name: (path) => fieldPath(path) || 'the arguments' }))
  try {
    return told(await found.run(world, read.data as never))
  } catch (error) {
    if (error instanceof ToolError) return failed(error.message, error.facts)
    if (error instanceof SandboxError) return failed(error.message, { ...error.body })
    // No sandbox answers; the message says where one was looked for.
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/** Characters of a text within the facts; a callback may have a megabyte. */
const LONGEST = 16_000

function told({ text, facts }: ToolAnswer): CallResult {
  // What was asked for as a text is told whole, and once.
  if (Object.values(facts).includes(text))
    return { content: [{ type: 'text', text }], structuredContent: { ...facts } }
  const json = JSON.stringify(facts, (_, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST
      ? `${value.slice(0, LONGEST)}… (${value.length} characters)`
      : value,
  )
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: json },
    ],
    structuredContent: JSON.parse(json),
  }
}

const failed = (message: string, facts?: ToolAnswer['facts']): CallResult => ({
  content: [
    { type: 'text', text: message },
    ...(facts ? [{ type: 'text' as const, text: JSON.stringify(facts) }] : []),
  ],
  isError: true,
})
