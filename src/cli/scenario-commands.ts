import { Command } from 'commander'
import type { End } from './commands.ts'
import type { Process } from './process.ts'

const about = 'files or folders of your own (default: the scenarios that come with the sandbox)'

/** `scenarios check|test|list`: what can be done with scenario files without a running sandbox. */
export function scenariosCommand(io: Process, end: End): Command {
  const scenarios = new Command('scenarios').summary('check, test or list scenario files')
  scenarios
    .command('check')
    .description(
      'Read scenario files and say, with line and column, what is wrong: exit code 1 when something is.',
    )
    .argument('[paths...]', about)
    .action(async (paths: readonly string[]) => {
      const { checkScenarios } = await import('./scenarios.ts')
      end(await checkScenarios(paths, io.out.write))
    })
  scenarios
    .command('test')
    .description(
      'Play what scenario files promise under expect, in milliseconds: exit code 1 when one does not hold.',
    )
    .argument('[paths...]', about)
    .option('--junit <file>', 'write a JUnit report too')
    .action(async (paths: readonly string[], options: { junit?: string }) => {
      const { testScenarios } = await import('./scenarios.ts')
      end(await testScenarios(paths, options, io.out.write))
    })
  scenarios
    .command('list')
    .description('List the scenarios that come with the sandbox, with the Kenyan number that plays each.')
    .action(async () => {
      const { listScenarios } = await import('./scenarios.ts')
      end(await listScenarios(io.out.write))
    })
  return scenarios
}
