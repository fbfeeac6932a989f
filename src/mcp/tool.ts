import type { ToolAnnotations } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { WorldClient } from '../client/types.ts'

/** The result of a tool call. */
export interface ToolResult {
  /** A summary of a few lines. */
  readonly text: string
  readonly facts: Readonly<Record<string, unknown>>
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  readonly hints: ToolAnnotations
  /** @throws SandboxError if the sandbox rejects the request, ToolError if the call is invalid */
  run(world: WorldClient, input: never): Promise<ToolResult>
}

/** An invalid call. The message contains the remedy. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly facts: ToolResult['facts'] | undefined
  constructor(message: string, facts?: ToolResult['facts']) {
    super(message)
    this.facts = facts
  }
}

/** Defines a tool, and infers the type of its input. */
export const tool = <Input extends z.ZodObject>(
  made: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    run(world: WorldClient, input: z.output<Input>): Promise<ToolResult>
  },
): Tool => made as unknown as Tool

/** Joins the lines of a summary that apply. */
export const summary = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter(Boolean).join('\n')

// Without the defaults of the protocol, which would fill the context of an agent.
export const LOOKS: ToolAnnotations = { readOnlyHint: true }
export const ADDS: ToolAnnotations = { destructiveHint: false }
export const SETS: ToolAnnotations = { destructiveHint: false, idempotentHint: true }
export const DESTROYS: ToolAnnotations = {}

/** Newest first. */
export const limit = z.int().min(1).max(50).default(10)

export const reference = z.string().min(1).max(255).describe('Any identifier of the payment.')

export const scenarioName = z.string().min(1).max(100).describe('Such as payer-cancels.')

export const duration = z.string().max(40)
