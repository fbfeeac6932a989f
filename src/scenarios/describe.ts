import { formatDuration } from '../duration.ts'
import type { Decision, Outcome } from '../terms.ts'

/** Who decided, and what, in words for a header: `when; fails (cancelled) after 3s`. */
export function describeDecision({ by, outcome }: Decision): string {
  const what = describeOutcome(outcome)
  return what === '' ? by : `${by}; ${what}`
}

/** An outcome in words; empty when nothing special happens. */
export function describeOutcome({ respond, delay, fault, plan, review, channel }: Outcome): string {
  const said: string[] = []
  if (respond) said.push(`answers ${respond.status}`)
  if (delay !== undefined) said.push(`delayed ${time(delay)}`)
  if (fault) said.push(fault)
  if (channel) said.push('channel closed')
  if (plan?.settle) said.push(settled(plan.settle))
  for (const { after, status } of plan?.later ?? []) said.push(`then ${status} after ${time(after)}`)
  if (plan?.callback) said.push(called(plan.callback))
  if (review)
    said.push(review.length === 0 ? 'review never ends' : review.map(({ status }) => status).join(' then '))
  return said.join(', ')
}

const time = (ms: number) => formatDuration(Math.round(ms))

type Plan = NonNullable<Outcome['plan']>

function settled({ status, reason, after, after_polls, never }: NonNullable<Plan['settle']>): string {
  if (never) return 'stays queued'
  const end = status === 'failed' ? `fails${reason ? ` (${reason})` : ''}` : 'succeeds'
  if (after_polls !== undefined) return `${end} at look-up ${after_polls}`
  return after === undefined ? end : `${end} after ${time(after)}`
}

function called({
  after,
  times,
  first,
  drop,
  out_of_order,
  shape,
  fault,
  retry,
}: NonNullable<Plan['callback']>): string {
  if (drop) return 'no callback'
  const how = [
    first && 'before the answer',
    out_of_order && 'out of order',
    times !== undefined && `${times} times`,
    after !== undefined && `after ${time(after)}`,
    shape,
    fault,
    retry && 'with retries of its own',
  ].filter(Boolean)
  return `callback ${how.join(' ')}`
}
