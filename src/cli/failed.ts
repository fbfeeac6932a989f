import { SandboxError } from '../client/transport.ts'
import { ConfigError } from '../config/config.ts'
import { ClientError } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { safe } from './safe.ts'

/** A command that cannot be done. The message is for the user. */
export class Refusal extends Error {
  readonly code: number
  constructor(message: string, code: number = exitCodes.no) {
    super(message)
    this.code = code
  }
}

/** Says what stopped a command, for a program as a JSON object. Returns the exit code. @throws what is a fault of the program */
export function failed({ err }: Process, error: unknown, json: boolean): number {
  const known = outcome(error)
  if (!known) throw error
  const { message, code } = known
  err.write(json ? `${JSON.stringify({ kind: 'error', message, code })}\n` : `${safe(message)}\n`)
  return code
}

function outcome(error: unknown): { readonly message: string; readonly code: number } | undefined {
  if (error instanceof ConfigError) return { message: error.message, code: exitCodes.usage }
  if (error instanceof ClientError)
    return { message: error.message, code: error.refused ? exitCodes.no : exitCodes.unreachable }
  if (error instanceof Refusal) return { message: error.message, code: error.code }
  // Errors of a sandbox have a code.
  if (error instanceof SandboxError && error.code === '')
    return { message: `${error.message}: is it a sandbox?`, code: exitCodes.unreachable }
  if (error instanceof SandboxError)
    return { message: error.body.error_message ?? error.message, code: exitCodes.no }
  return undefined
}
