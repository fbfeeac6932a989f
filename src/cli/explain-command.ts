import { Command } from 'commander'
import { asking } from './asking.ts'
import type { End } from './commands.ts'
import type { Process } from './process.ts'

/** `explain` tells why something came as it did. */
export const explainCommand = (io: Process, end: End) =>
  asking(io, end)(
    new Command('explain')
      .summary('say why a request was answered, or a payment ended, as it did')
      .description(
        'Say why: of a request which scenario decided it, which did not and why; of a payment that, and what happened to it.',
      )
      .argument('<id>', 'of a request (req_…), or any reference of a payment'),
    async (session, id: string) => {
      const { explain } = await import('./explain.ts')
      return explain(session, id)
    },
  )
