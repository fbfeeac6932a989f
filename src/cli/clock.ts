import { Command } from 'commander'
import { readDuration, readFactor, readTime } from './options.ts'
import { painter, type Output } from './output.ts'
import type { Process } from './process.ts'
import type { End } from './options.ts'
import { worldCommand, type Session } from './world-command.ts'
import type { Clock, ClockClient, Steered } from '../client/types.ts'
import { durationForms } from '../lib/text/duration.ts'

/** `clock show|freeze|advance|set|speed|resume`: the time of a world. */
export function clockCommand(io: Process, end: End): Command {
  const asks = worldCommand(io, end)
  const clock = new Command('clock').description(
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
    async ({ world, out }, by: string) => tellLeap(out, await world.clock.advance(by)),
  )
  asks(
    clock
      .command('set')
      .description('Leap on to a time; time never goes back.')
      .argument('<time>', 'such as 2026-07-01 or 2026-07-01T08:00:00Z', readTime),
    async ({ world, out }, to: Date) => tellLeap(out, await world.clock.advance(to)),
  )
  return clock
}

/** Returns the work of a command that changes the clock and prints it. */
const told =
  (change: (clock: ClockClient, ...given: never[]) => Promise<void> = async () => {}) =>
  async ({ world, out }: Session, ...given: never[]) => {
    await change(world.clock, ...given)
    tellClock(out, await world.clock.show())
  }

function tellClock(out: Output, clock: Clock): void {
  out.say(lineOf(out, clock), { kind: 'clock', ...clock })
}

/** Prints the work that a leap has run, and the clock. */
function tellLeap(out: Output, { clock, jobs, job_count, complete }: Steered): void {
  for (const { kind, due_at, transaction, result } of jobs)
    out.say(`  ${due_at}  ${kind}${transaction ? ` of ${transaction}` : ''}  ${result}`)
  if (job_count > jobs.length) out.say(`  and ${job_count - jobs.length} more`)
  const left = complete ? '' : '; more is due, say it again to go on'
  out.say(lineOf(out, clock) + left, { kind: 'clock', ...clock, jobs, job_count, complete })
}

function lineOf({ colours }: Output, { now, frozen, speed, scheduled, next, failing }: Clock): string {
  const pace = frozen ? 'stands still' : speed === 1 ? 'runs' : `runs ${speed} times as fast`
  const due = next ? `next ${next.kind} at ${next.due_at}, ${scheduled} in all` : 'nothing is due'
  const wrong = failing.length > 0 ? `; ${failing.length} that goes wrong` : ''
  return `${painter(colours)('bold', now)}  ${pace}; ${due}${wrong}`
}
