import { Command, Option } from 'commander'
import type { End } from './commands.ts'
import type { ListenOptions } from './listen.ts'
import { jsonOption, readAddress, targetOf, urlOption, userOption, type TargetOptions } from './options.ts'
import type { Process } from './process.ts'
import { readRoute } from './routes.ts'

export const listenCommand = (io: Process, end: End) =>
  new Command('listen')
    .summary("send a sandbox's callbacks on to servers on this machine")
    .description(
      "Send every callback of the user's world on to a server on this machine, headers and bytes unchanged, so that " +
        'signatures hold. The callback_url of the payments can be any; one that the sandbox reaches is not retried in ' +
        'vain, such as the address that GET /sandbox/inbox/dev tells.',
    )
    .addOption(
      new Option(
        '--forward-to <address>',
        'the local server; with a path all callbacks go there, else each to its own path',
      ).argParser(readAddress),
    )
    .addOption(
      new Option(
        '--route <what=address>',
        'callbacks of a path go there, such as /hooks/payouts=http://localhost:3001; /hooks/* stands for all paths that begin so, createWithdrawal ' +
          'for the payments of that operation; again for more, the first that fits counts',
      ).argParser(readRoute),
    )
    .option('--print-secret', 'print first what the callbacks are signed with')
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (options: TargetOptions & ListenOptions) => {
      const { listen } = await import('./listen.ts')
      end(await listen(io, targetOf(io, options), options))
    })
