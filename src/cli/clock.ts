import { Command } from '@commander-js/extra-typings'
import { type End, readFactor, readStep, readTime } from './options.ts'
import { painter, type Output } from './output.ts'
import type { Process } from './process.ts'
import { worldCommand, type Session } from './world-command.ts'
import type { Clock, ClockClient, Steered } from '../client/types.ts'
import { formatDuration } from '../lib/text/duration.ts'

export function clockCommand(io: Process, end: End) {
  const asks = worldCommand(io, end)
  const clock = new Command('clock').description(
    'Control the clock of a world. Jobs run when they become due.',
  )
  asks(
    clock.command('show', { isDefault: true }).description('Show the time and the next pending job.'),
    changing(),
  )
  asks(
    clock.command('freeze').description('Freeze the clock.'),
    changing((clock) => clock.freeze()),
  )
  asks(
    clock.command('resume').description('Resume the clock in real time.'),
    changing((clock) => clock.resume()),
  )
  asks(
    clock
      .command('speed')
      .description('Set the speed: at 60, an hour passes in a minute.')
      .argument('<factor>', 'a number; 0 freezes the clock', readFactor),
    (session, factor) => changing((clock) => clock.speed(factor))(session),
  )
  asks(
    clock
      .command('advance')
      .description('Advance the clock by a duration.')
      .argument('<duration>', 'with a unit, such as 3s or 72h', readStep),
    async ({ world, out }, by) => printAdvance(out, await world.clock.advance(by)),
  )
  asks(
    clock
      .command('set')
      .description('Advance the clock to a time; it cannot go back.')
      .argument('<time>', 'such as 2026-07-01 or 2026-07-01T08:00:00Z', readTime),
    async ({ world, out }, to) => printAdvance(out, await world.clock.advance(to)),
  )
  return clock
}

export const settleCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('settle')
      .description(
        'Run all pending jobs of a world now: payments end, and callbacks are sent and retried. The clock advances as far as needed.',
      )
      .option('--within <duration>', 'only jobs that are due within this time', readStep),
    async ({ world, out }, { within }) => printAdvance(out, await world.settle({ within })),
  )

/** Returns the work of a command that changes the clock and prints it. */
const changing =
  (change: (clock: ClockClient) => Promise<void> = async () => {}) =>
  async ({ world, out }: Session) => {
    await change(world.clock)
    const clock = await world.clock.show()
    out.say(lineOf(out, clock), { kind: 'clock', ...clock })
  }

/** Returns the difference of a world's clock to real time, such as `, 31m ahead of real time`; empty below a second. */
export function differenceOf({ now, real_time }: Pick<Clock, 'now' | 'real_time'>): string {
  const ahead = Date.parse(now) - Date.parse(real_time)
  const size = Math.abs(ahead)
  const unit = size >= 7_200_000 ? 3_600_000 : size >= 120_000 ? 60_000 : 1_000
  const rounded = Math.round(size / unit) * unit
  return rounded === 0 ? '' : `, ${formatDuration(rounded)} ${ahead > 0 ? 'ahead of' : 'behind'} real time`
}

/** Prints the jobs that ran, and the clock. */
function printAdvance(out: Output, { clock, jobs, job_count, complete }: Steered): void {
  for (const { kind, due_at, transaction, result } of jobs)
    out.say(`  ${due_at}  ${kind}${transaction ? ` of ${transaction}` : ''}  ${result}`)
  if (job_count > jobs.length) out.say(`  and ${job_count - jobs.length} more`)
  const left = complete ? '' : '; more jobs are due, repeat the command to continue'
  out.say(lineOf(out, clock) + left, { kind: 'clock', ...clock, jobs, job_count, complete })
}

function lineOf({ colours }: Output, clock: Clock): string {
  const { now, frozen, speed, scheduled, next, failing } = clock
  const away = differenceOf(clock)
  const pace = frozen
    ? `frozen${away}`
    : speed !== 1
      ? `${speed} times real time`
      : away
        ? `running${away}`
        : 'real time'
  const due = next ? `next ${next.kind} at ${next.due_at}, ${scheduled} pending` : 'nothing pending'
  const wrong = failing.length > 0 ? `; ${failing.length} failing` : ''
  return `${painter(colours)('bold', now)}  ${pace}; ${due}${wrong}`
}
