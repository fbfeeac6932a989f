import { stringify } from 'yaml'
import { Populate } from '../generated/control/schemas.ts'
import { issuesText, reporting } from '../lib/text/validation-messages.ts'
import { defaultSeed } from '../worlds/default-seed.ts'
import { amountsOf } from '../worlds/populate/amounts.ts'
import { exitCodes } from './exit-codes.ts'
import { printed } from './printed.ts'
import type { Process } from './process.ts'

/** Prints the default seed with what is to be made up beside it. Returns the exit code. */
export async function seed(
  io: Process,
  given: { readonly [name: string]: string },
  json = false,
): Promise<number> {
  // What is no number is refused as it was written.
  const asked = Object.entries(given).map(([name, text]) => [
    name,
    /^-?\d+$/.test(text) ? Number(text) : text,
  ])
  const read = Populate().safeParse(Object.fromEntries(asked), reporting)
  if (!read.success) {
    io.err.write(`error: ${issuesText(read.error, { name: (path) => `--${path.join('.')}` })}\n`)
    return exitCodes.usage
  }
  const made = { ...defaultSeed('demo', 'demo'), populate: amountsOf(read.data) }
  io.out.write(json ? `${JSON.stringify(made)}\n` : stringify(made))
  return printed(io)
}
