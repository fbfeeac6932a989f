import { Command } from 'commander'
import { asking } from './asking.ts'
import type { End } from './commands.ts'
import { setOption } from './fields.ts'
import { durationOption, readAddress, readAmount } from './options.ts'
import type { PayOptions } from './pay.ts'
import type { Process } from './process.ts'

/** `pay` makes a payment and tells its story. */
export const payCommand = (io: Process, end: End) =>
  asking(io, end)(
    new Command('pay')
      .summary('make a payment and show what happens to it')
      .description(
        "Make a collection, or with --payout a payout, in the user's world, and show what happens until it has settled and its callback has arrived: " +
          'states, ledger, callbacks and their deliveries. Exit code 1 when the service refuses it.',
      )
      .option('--phone <number>', 'who pays or is paid', '254712345678')
      .option('--amount <amount>', 'in units of the currency, such as 100 or 99.50', readAmount)
      .option('--payout', 'pay out of the wallet instead of collecting')
      .option('--account <id>', 'the Team (default: that of the API key)', readAmount)
      .option('--provider <name>', 'of mobile money', 'm-pesa')
      .option('--scenario <scenario>', 'what shall happen to it; scenarios list has their names')
      .option('--reference <text>', 'your own (default: one of this moment)')
      .option(
        '--callback-url <address>',
        "where the callback goes (default: the sandbox's own inbox)",
        readAddress,
      )
      .addOption(setOption('any other field of the request, or one of these in another way; again for more'))
      .option('--follow', 'wait as long as anything is owed for it')
      .addOption(durationOption('--for', 'how long to wait else', '10s')),
    async (session, options: PayOptions) => {
      const { pay } = await import('./pay.ts')
      return pay(session, options)
    },
  )
