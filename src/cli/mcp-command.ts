import { Command, Option } from 'commander'
import type { End } from './commands.ts'
import { jsonOption, readAddress, type TargetOptions, userOption } from './options.ts'
import type { Process } from './process.ts'

export const mcpCommand = (io: Process, end: End) =>
  new Command('mcp')
    .summary('serve tools for agents over standard input and output')
    .description(
      'Serve tools for agents (Model Context Protocol) over standard input and output: for the sandbox at --url, or, without it, ' +
        'for one of its own, which takes the settings of start from the environment and listens at any free port unless PORT says which.',
    )
    .addOption(
      new Option('--url <address>', 'the sandbox to work in (default: one of its own)').argParser(
        readAddress,
      ),
    )
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (options: TargetOptions & { json?: boolean }) => {
      const { mcp } = await import('./mcp.ts')
      end(await mcp(io, options))
    })
