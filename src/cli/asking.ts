import type { Command } from 'commander'
import type { End } from './commands.ts'
import { jsonOption, urlOption, userOption } from './options.ts'
import type { Process } from './process.ts'
import type { Session, SessionOptions } from './session.ts'

/** What a command does in a world. @param given its arguments, then its options; answers an exit code where it is not 0 */
export type Work = (session: Session, ...given: never[]) => Promise<number | void>

/** Makes commands that ask a running sandbox: all say in the same words which one, as whom, and for whom it is printed. */
export const asking =
  (io: Process, end: End) =>
  (command: Command, work: Work): Command =>
    command
      .addOption(urlOption())
      .addOption(userOption())
      .addOption(jsonOption())
      .action(async () => {
        const { inSession } = await import('./session.ts')
        const options = command.opts<SessionOptions>()
        const given = [...command.processedArgs, options] as never[]
        end(await inSession(io, options, (session) => work(session, ...given)))
      })
