import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'

/** Ends a command that has printed a document: half of one would pass for the whole. Returns the exit code. */
export async function printed({ out, err }: Process, code: number = exitCodes.done): Promise<number> {
  const lost = await out.lost?.()
  if (!lost) return code
  err.write(
    `What was printed is not whole: ${lost.message}. Make room, or print it elsewhere, and try again.\n`,
  )
  return exitCodes.no
}
