import * as z from 'zod'
import type { WorldClient } from '../client/types.ts'

/** What a call of a tool comes to. */
export interface ToolAnswer {
  /** In a few lines, for whoever reads no further. */
  readonly text: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** What a tool promises of itself (Model Context Protocol, tool annotations). */
export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
}

/** One thing that can be done in a world. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly hints: Hints
  /** @param input checked @throws SandboxError when the sandbox refuses, ToolError when the call makes no sense */
  run(world: WorldClient, input: never): Promise<ToolAnswer>
}

/** A call that cannot be done as it was asked for. The message says what can. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly facts: ToolAnswer['facts'] | undefined
  constructor(message: string, facts?: ToolAnswer['facts']) {
    super(message)
    this.facts = facts
  }
}

/** A tool whose `run` is given what its `input` says. */
export const tool = <Input extends z.ZodObject>(
  made: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    run(world: WorldClient, input: z.output<Input>): Promise<ToolAnswer>
  },
): Tool => made as unknown as Tool

/** Looks and changes nothing. */
export const LOOKS: Hints = { readOnlyHint: true }
/** Adds to what is there. */
export const ADDS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
/** Sets something, which comes to the same when it is done again. */
export const SETS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: true }
/** Takes something away. */
export const DESTROYS: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false }

/** Most items of a list in one answer; a reader that is given more reads less of it. */
const MOST = 50

export const limit = z
  .int()
  .min(1)
  .max(MOST)
  .default(10)
  .describe(`How many at most, newest first; 1 to ${MOST}.`)

export const reference = z
  .string()
  .min(1)
  .max(255)
  .describe('Any identifier of the payment: one that the service answered, or your own reference.')

export const scenarioName = z
  .string()
  .min(1)
  .max(100)
  .describe('The name of a scenario, such as payer-cancels; the tool scenarios lists them.')

export const duration = z.string().max(40)

/** Something that the sandbox's own API answers, as its description has it. */
export const described = (what: string) => z.record(z.string(), z.unknown()).describe(what)

/** A list of the same. */
export const listOf = (what: string) => z.array(z.record(z.string(), z.unknown())).describe(what)
