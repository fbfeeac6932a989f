import { UnusableFile } from '../sandbox/sandbox.ts'
import { NoWorld } from '../sandbox/transfer/items.ts'
import { ClientError } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { startFailure } from './start-failure.ts'

/** Says what stopped worlds on their way, and what to do about it; for a program as a JSON object. Returns the exit code. */
export function transferFailure({ err }: Process, error: unknown, json = false): number {
  const { line: message, code: otherwise } = startFailure(error)
  const code = codeOf(error) ?? otherwise
  err.write(json ? `${JSON.stringify({ kind: 'error', message, code })}\n` : `${message}\n`)
  return code
}

/** What is wrong with a file of worlds; the message names file and line. */
export class WrongLine extends Error {}

function codeOf(error: unknown): number | undefined {
  if (error instanceof ClientError) return error.refused ? exitCodes.no : exitCodes.unreachable
  if (error instanceof UnusableFile) return exitCodes.start
  return error instanceof NoWorld || error instanceof WrongLine ? exitCodes.no : undefined
}
