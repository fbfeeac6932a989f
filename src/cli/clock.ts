import type { Clock, Steered } from '../client/types.ts'
import { painter } from './paint.ts'
import type { Teller } from './teller.ts'

/** Tells how a world's clock stands. */
export function tellClock(out: Teller, clock: Clock): void {
  out.say(lineOf(out, clock), { kind: 'clock', ...clock })
}

/** Tells how it stands after a leap, and what was done on the way. */
export function tellLeap(out: Teller, { clock, ran, ran_count, complete }: Steered): void {
  for (const { kind, due_at, transaction, result } of ran)
    out.say(`  ${due_at}  ${kind}${transaction ? ` of ${transaction}` : ''}  ${result}`)
  if (ran_count > ran.length) out.say(`  and ${ran_count - ran.length} more`)
  const left = complete ? '' : '; more is due, say it again to go on'
  out.say(lineOf(out, clock) + left, { kind: 'clock', ...clock, ran, ran_count, complete })
}

function lineOf({ colours }: Teller, { now, frozen, speed, scheduled, next, failing }: Clock): string {
  const pace = frozen ? 'stands still' : speed === 1 ? 'runs' : `runs ${speed} times as fast`
  const due = next ? `next ${next.kind} at ${next.due_at}, ${scheduled} in all` : 'nothing is due'
  const wrong = failing.length > 0 ? `; ${failing.length} that goes wrong` : ''
  return `${painter(colours)('bold', now)}  ${pace}; ${due}${wrong}`
}
