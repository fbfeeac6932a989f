import { Command } from 'commander'
import { stringify } from 'yaml'
import { Populate } from '../generated/control/schemas.ts'
import { issuesText, reporting } from '../lib/text/validation-messages.ts'
import { defaultSeed } from '../worlds/default-seed.ts'
import { amountsOf } from '../worlds/populate/draw.ts'
import { failed, Refusal } from './failures.ts'
import type { End } from './options.ts'
import { exitCodes, printed } from './output.ts'
import type { Process } from './process.ts'

/** The flags of `seed`. */
const amounts = [
  ['teams', 'number of Teams'],
  ['members', 'number of members in all Teams'],
  ['transactions', 'number of past payments'],
  ['days', 'number of days with payments'],
  ['seed', 'seed of the random generator'],
] as const

export function seedCommand(io: Process, end: End): Command {
  const seed = new Command('seed')
    .description(
      'Print a seed file for SANDBOX_SEED_FILE: the default world plus generated Teams, members and payments. The sandbox ' +
        'generates the same data at each start.',
    )
    .option('--json', 'as JSON instead of YAML')
    .action(async ({ json, ...options }: { readonly [name: string]: string } & { json?: boolean }) => {
      end(await printSeed(io, options, json))
    })
  for (const [name, about] of amounts) seed.option(`--${name} <number>`, about)
  return seed
}

async function printSeed(
  io: Process,
  given: { readonly [name: string]: string },
  json = false,
): Promise<number> {
  // Keeps invalid text for the error message.
  const asked = Object.entries(given).map(([name, text]) => [
    name,
    /^-?\d+$/.test(text) ? Number(text) : text,
  ])
  const read = Populate().safeParse(Object.fromEntries(asked), reporting)
  if (!read.success) {
    const message = issuesText(read.error, { name: (path) => `--${path.join('.')}` })
    return failed(io, new Refusal(message, exitCodes.usage), json)
  }
  const made = { ...defaultSeed('demo', 'demo'), populate: amountsOf(read.data) }
  io.out.write(json ? `${JSON.stringify(made)}\n` : stringify(made))
  return printed(io)
}
