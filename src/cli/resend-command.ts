import { Command } from 'commander'
import { asking } from './asking.ts'
import type { End } from './commands.ts'
import { durationOption } from './options.ts'
import type { Process } from './process.ts'
import type { ResendOptions } from './resend.ts'

/** `resend` sends callbacks again. */
export const resendCommand = (io: Process, end: End) =>
  asking(io, end)(
    new Command('resend')
      .summary('send callbacks again')
      .description(
        'Send callbacks again and show how each fares: those of a payment, one by its number, or all that failed. Exit code 1 when a receiver fails.',
      )
      .argument('[ids...]', 'numbers of callbacks, or references of payments')
      .option('--failed', 'all that failed')
      .addOption(durationOption('--for', 'how long to wait for the receiver', '10s')),
    async (session, ids: readonly string[], options: ResendOptions) => {
      const { resend } = await import('./resend.ts')
      return resend(session, ids, options)
    },
  )
