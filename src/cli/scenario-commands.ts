import { Command } from 'commander'
import {
  durationOption,
  jsonOption,
  readAddress,
  targetOf,
  urlOption,
  userOption,
  type TargetOptions,
} from './options.ts'
import { systemWall } from '../lib/clock/clock.ts'
import type { Target } from './client.ts'
import type { End } from './commands.ts'
import { type Fields, setOption } from './fields.ts'
import type { Process } from './process.ts'

const about = 'files or folders of your own (default: the scenarios that come with the sandbox)'

interface Printed {
  readonly json?: boolean
}

/** `scenarios check|test|list`: what can be done with scenario files without a running sandbox. */
export function scenariosCommand(io: Process, end: End): Command {
  const scenarios = new Command('scenarios').summary('check, test or list scenario files')
  scenarios
    .command('check')
    .description(
      'Read scenario files and say, with line and column, what is wrong: exit code 1 when something is.',
    )
    .argument('[paths...]', about)
    .addOption(jsonOption())
    .action(async (paths: readonly string[], { json = false }: Printed) => {
      const { checkScenarios } = await import('./scenarios.ts')
      end(await checkScenarios(paths, io.out.write, json))
    })
  scenarios
    .command('test')
    .description(
      'Play what scenario files promise under expect, in milliseconds: exit code 1 when one does not hold.',
    )
    .argument('[paths...]', about)
    .option('--junit <file>', 'write a JUnit report too')
    .addOption(jsonOption())
    .action(async (paths: readonly string[], { json = false, ...options }: Printed & { junit?: string }) => {
      const { testScenarios } = await import('./scenarios.ts')
      end(await testScenarios(paths, options, io.out.write, json))
    })
  scenarios
    .command('list')
    .description('List the scenarios that come with the sandbox, with the Kenyan number that plays each.')
    .addOption(jsonOption())
    .action(async ({ json = false }: Printed) => {
      const { listScenarios } = await import('./scenarios.ts')
      end(await listScenarios(io.out.write, json))
    })
  return scenarios
}

export const triggerCommand = (io: Process, end: End) =>
  new Command('trigger')
    .summary('play a scenario against a running sandbox and show what happens')
    .description(
      'Make the requests that show a scenario, against a running sandbox, and print the story of each payment and KYC ' +
        'review as it happens: states, ledger, callbacks and their deliveries. It plays in a fresh world, whose clock then leaps to what ' +
        'comes later; with --user in that one, whose clock is left alone.',
    )
    .argument('<scenario>', 'its name, as scenarios list has it, or a file that the sandbox was started with')
    .addOption(urlOption())
    .addOption(userOption())
    .option(
      '--callback-url <address>',
      "where the callbacks go (default: the sandbox's own inbox)",
      readAddress,
    )
    .addOption(
      setOption('a field of the requests that has another value, such as amount=2000; again for more'),
    )
    .addOption(durationOption('--for', 'how long to wait for what is still owed', '10s'))
    .addOption(jsonOption())
    .action(
      async (name: string, { callbackUrl, for: limit, json = false, set, ...options }: TriggerFlags) => {
        const { trigger } = await import('./trigger.ts')
        const own = options.user !== undefined
        const target = own ? targetOf(io, options) : inFreshWorld(targetOf(io, options))
        end(
          await trigger(io, target, name, {
            limit,
            leap: !own,
            json,
            ...(callbackUrl && { callbackUrl }),
            ...(set && { set }),
          }),
        )
      },
    )

interface TriggerFlags extends TargetOptions {
  readonly callbackUrl?: string
  readonly set?: Fields
  readonly for: number
  readonly json?: boolean
}

/** A fresh world, so that what was triggered before changes nothing. */
const inFreshWorld = (target: Target): Target => ({
  ...target,
  username: `${target.username}+trigger-${systemWall().toString(36)}`,
})
