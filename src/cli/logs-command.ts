import { Command } from 'commander'
import type { End } from './commands.ts'
import {
  jsonOption,
  oneOf,
  readStatuses,
  targetOf,
  urlOption,
  userOption,
  type TargetOptions,
} from './options.ts'
import type { Process } from './process.ts'
import type { TailOptions } from './tail.ts'

/** `logs tail`: what happens in a world, as it happens. */
export function logsCommand(io: Process, end: End): Command {
  const logs = new Command('logs').summary('show requests and callbacks as they come')
  logs
    .command('tail')
    .description(
      "Show the requests that come to the user's world and what it sends to receivers, a line each, until Ctrl-C. A sandbox that goes away is waited for.",
    )
    .addOption(oneOf('--only <what>', 'of the two', ['requests', 'callbacks']))
    .option('--operation <name>', 'requests of this operation, such as createCollection')
    .option('--status <status>', 'answered so, by the sandbox or a receiver: 201, 4xx, or none', readStatuses)
    .option('--reference <text>', 'of this payment: any reference of it that a request or callback names')
    .option('--all', 'first what the world remembers, of its last 1,000 events')
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (options: TargetOptions & TailOptions) => {
      const { tail } = await import('./tail.ts')
      end(await tail(io, targetOf(io, options), options))
    })
  return logs
}
