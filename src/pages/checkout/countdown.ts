import { rails } from '../../service/vocabulary/rails.ts'
import { html } from 'hono/html'
import type { Clock } from '../../lib/clock/clock.ts'
import { waitsUntil } from '../../service/domain/payer.ts'
import { exactTime } from '../../service/domain/wire-time.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'

/** Longer than this is told by its end alone. */
const LONGEST_SHOWN = 100 * 60

/** How long the payer has, on the world's clock; undefined when nothing ends it. */
function leftOf(row: TransactionRow, clock: Clock) {
  const until = waitsUntil(row)
  return until === undefined
    ? undefined
    : { until, seconds: Math.max(0, Math.ceil((until - clock.now()) / 1_000)) }
}

/** The time that is left, counted down by the style alone: the page has no script. */
export function countdown(row: TransactionRow, clock: Clock) {
  const left = leftOf(row, clock)
  return left && left.seconds < LONGEST_SHOWN ? html`<span class="left" aria-hidden="true"></span>` : ''
}

/** The same in words, for whoever sees no counter. */
export function waitsText(row: TransactionRow, clock: Clock) {
  const left = leftOf(row, clock)
  if (!left) return ''
  const time = exactTime(left.until)
  const still = clock.state.factor === 0 ? ' That clock stands still now.' : ''
  return html`<p class="waits">
    Waits for you until <time datetime="${time}">${time.slice(11, 16)} UTC</time> of the sandbox's clock, and
    expires then.${still}
  </p>`
}

/** The rules of the counter: it shows the world's seconds, which may be shorter than the reader's, or stand still. */
export function countdownStyle(row: TransactionRow, clock: Clock): string {
  const left = leftOf(row, clock)
  if (!left || left.seconds >= LONGEST_SHOWN) return ''
  const { factor } = clock.state
  const runs = factor > 0 ? `animation: left ${(left.seconds / factor).toFixed(3)}s linear forwards;` : ''
  return `
@property --left { syntax: '<integer>'; inherits: true; initial-value: 0; }
@property --minutes { syntax: '<integer>'; inherits: true; initial-value: 0; }
@keyframes left { to { --left: 0; } }
.left { --left: ${left.seconds}; ${runs} }
.left::after { --minutes: max(0, var(--left) / 60 - 0.5); counter-reset: minutes var(--minutes) seconds calc(var(--left) - 60 * var(--minutes)); content: counter(minutes) ':' counter(seconds, decimal-leading-zero); }
`
}

/** How often a page looks whether the payer has answered elsewhere, seconds. */
const LOOKS_EVERY = 8

/**
 * The page anew: when it has waited long enough, to say so, and while a phone asks its payer every few seconds. Not where the
 * world's time stands still, unless somebody may answer on the phone.
 */
export function reload(row: TransactionRow, clock: Clock) {
  const asked = rails[row.rail].payer !== 'card' && row.payer_due_at !== undefined
  const until = waitsUntil(row)
  const { factor } = clock.state
  const ends =
    until === undefined || factor === 0
      ? Infinity
      : Math.max(1, Math.ceil((until - clock.now()) / factor / 1_000) + 1)
  const after = asked ? Math.min(LOOKS_EVERY, ends) : ends
  return after === Infinity ? undefined : { after }
}
