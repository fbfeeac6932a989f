import { Command } from '@commander-js/extra-typings'
import { stringify } from 'yaml'
import { Populate } from '../generated/control/schemas.ts'
import { issuesText, reporting } from '../lib/text/validation-messages.ts'
import { defaultSeed } from '../worlds/default-seed.ts'
import { amountsOf } from '../worlds/populate/draw.ts'
import { Refusal } from './failures.ts'
import { type End, plainCommand } from './options.ts'
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

export function seedCommand(io: Process, end: End) {
  const seed = new Command('seed')
    .description(
      'Print a seed file for SANDBOX_SEED_FILE: the default world plus generated Teams, members and payments. The sandbox ' +
        'generates the same data at each start.',
    )
    .option('--json', 'as JSON instead of YAML')
  for (const [name, about] of amounts) seed.option(`--${name} <number>`, about)
  return plainCommand(io, end)(seed, async (_, { json, ...given }) => {
    // Keeps invalid text for the error message.
    const asked = Object.entries<string>(given).map(([name, text]) => [
      name,
      /^-?\d+$/.test(text) ? Number(text) : text,
    ])
    const read = Populate().safeParse(Object.fromEntries(asked), reporting)
    if (!read.success)
      throw new Refusal(issuesText(read.error, { name: (path) => `--${path.join('.')}` }), exitCodes.usage)
    const made = { ...defaultSeed('demo', 'demo'), populate: amountsOf(read.data) }
    io.out.write(json ? `${JSON.stringify(made)}\n` : stringify(made))
    return printed(io)
  })
}
