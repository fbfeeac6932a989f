import { Command } from 'commander'
import { durationForms } from '../lib/text/duration.ts'
import { asking } from './asking.ts'
import type { End } from './commands.ts'
import { readDuration, readFactor, readTime } from './options.ts'
import type { ClockClient } from '../client/types.ts'
import type { Process } from './process.ts'
import type { Session } from './session.ts'

/** `clock show|freeze|advance|set|speed|resume`: the time of a world. */
export function clockCommand(io: Process, end: End): Command {
  const asks = asking(io, end)
  const clock = new Command('clock')
    .summary("show a world's time, stop it, move it on")
    .description(
      'The time of a world, which stands still when it is told to and leaps on. What falls due on the way is done.',
    )
  asks(clock.command('show').description('Show the time, and what is due next.'), told())
  asks(
    clock.command('freeze').description('Let time stand still.'),
    told((clock) => clock.freeze()),
  )
  asks(
    clock.command('resume').description('Let time go on, as fast as that of the wall.'),
    told((clock) => clock.resume()),
  )
  asks(
    clock
      .command('speed')
      .description('Let time go faster or slower: 60 is an hour a minute.')
      .argument('<factor>', 'a number; 0 stands still', readFactor),
    told((clock, factor: number) => clock.speed(factor)),
  )
  asks(
    clock.command('advance').description('Leap on.').argument('<duration>', durationForms, readDuration),
    async ({ world, out }, by: string) => (await clocks()).tellLeap(out, await world.clock.advance(by)),
  )
  asks(
    clock
      .command('set')
      .description('Leap on to a time; time never goes back.')
      .argument('<time>', 'such as 2026-07-01 or 2026-07-01T08:00:00Z', readTime),
    async ({ world, out }, to: Date) => (await clocks()).tellLeap(out, await world.clock.advance(to)),
  )
  return clock
}

/** Changes the clock, and tells how it stands then. */
const told =
  (change: (clock: ClockClient, ...given: never[]) => Promise<void> = async () => {}) =>
  async ({ world, out }: Session, ...given: never[]) => {
    await change(world.clock, ...given)
    const { tellClock } = await clocks()
    tellClock(out, await world.clock.show())
  }

const clocks = () => import('./clock.ts')
