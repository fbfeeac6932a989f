import { UnusableFile } from '../sandbox.ts'
import { NoWorld } from '../sandbox/transfer/items.ts'
import { ClientError } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { startFailure } from './start-failure.ts'

/** Says what stopped worlds on their way, and what to do about it. Returns the exit code. */
export function transferFailure({ err }: Process, error: unknown): number {
  const { line, code } = startFailure(error)
  err.write(`${line}\n`)
  if (error instanceof ClientError) return error.refused ? exitCodes.no : exitCodes.unreachable
  if (error instanceof UnusableFile) return exitCodes.start
  return error instanceof NoWorld ? exitCodes.no : code
}
