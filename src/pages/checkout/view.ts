import type { Context } from 'hono'
import { html } from 'hono/html'
import { browserFile } from '../../files.ts'
import type { Clock } from '../../lib/clock/clock.ts'
import { onBright, onDark } from '../../lib/palette.ts'
import { cardForm, type RefusedCard } from './card-form.ts'
import { type Checkout, pathsOf } from './find.ts'
import { page } from '../page.ts'
import { cardsLeft, challengeOf } from '../../service/domain/checkout.ts'
import { groupedMoney, moneyText } from '../../service/domain/money.ts'
import { waitsUntil } from '../../service/domain/payer.ts'
import { flatResult } from '../../service/domain/callbacks.ts'
import { exactTime } from '../../service/domain/wire-time.ts'
import { isOfPhone, rails } from '../../service/vocabulary/rails.ts'
import type { CardAttempt, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'

/**
 * The checkout page in its current state: the payer's options, or the outcome and the way back to the shop.
 */
export function checkoutView(c: Context, found: Checkout, refused?: RefusedCard) {
  const { row, team, world, isHosted } = found
  const { clock } = world
  const name = team?.name ?? 'a deleted Team'
  const logo = logoOf(team)
  const url = leadsTo(row, isHosted)
  const waits = row.status === 'QUEUED'
  return page(c, {
    // These characters isolate right-to-left names.
    title: `Pay \u2068${name}\u2069`,
    status: refused ? 400 : 200,
    moreStyle: checkoutStyle + brandStyle(team) + (waits ? countdownStyle(row, clock) : ''),
    picture: logo,
    next: waits ? reload(row, clock) : url === undefined || isHosted ? undefined : { after: SHOWN_FOR, url },
    body: html`${logo && html`<img class="logo" src="${logo.href}" alt="" referrerpolicy="no-referrer" />`}
      <div class="head">
        <h1><bdi>${name}</bdi></h1>
        ${waits ? countdown(row, clock) : ''}
      </div>
      <p class="amount">${row.currency} ${groupedMoney(row.amount, row.currency)}</p>
      ${team?.payment_note ? html`<p class="note" dir="auto">${team.payment_note}</p>` : ''}
      <dl>
        <dt>Method</dt>
        <dd>${by(row)}</dd>
        ${rails[row.rail].payer === 'card' ? '' : line('From', row.party)}
        ${row.external_reference === '' ? '' : line('Order', row.external_reference)}
        ${line('Reference', row.reference)}
      </dl>
      ${waits ? choice(c, found, refused) : outcome(row, url, isHosted)} ${waits ? waitsText(row, clock) : ''}
      <footer>Test mode: no money moves.</footer>`,
  })
}

/** The payment method; for cards the one that was charged or is being confirmed. */
function by(row: TransactionRow): string {
  const last = row.status === 'QUEUED' ? challengeOf(row) : row.cards?.at(-1)
  return last ? `${last.brand} ending in ${last.last4}` : rails[row.rail].name
}

const line = (term: string, text: string) =>
  html`<dt>${term}</dt>
    <dd><bdi>${text}</bdi></dd>`

function choice(c: Context, found: Checkout, refused: RefusedCard | undefined) {
  const { row } = found
  if (rails[row.rail].payer !== 'card') return byHand(row)
  const asked = challengeOf(row)
  return asked ? challenged(row, asked, pathsOf(c, found).bank, refused) : cardForm(row, refused)
}

const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/i

/** The Team's colour with readable text on buttons; empty if the Team has none. */
function brandStyle(team: TeamRow | undefined): string {
  const colour = team?.theme_color ?? ''
  if (!HEX.test(colour)) return ''
  const text = luminance(colour) > 0.179 ? onBright : onDark
  return `:root { --accent: ${colour}; }
main { border-top: 0.4rem solid var(--accent); }
button:not(.plain), .button { border-color: var(--line); color: ${text}; }
:focus-visible { outline-color: var(--text); }
`
}

/** The relative luminance of a colour (WCAG 2). At 0.179, black and white text have the same contrast. */
function luminance(colour: string): number {
  const digits = colour.slice(1)
  const wide = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const value = parseInt(wide.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** The Team's logo, or undefined if it has none with a web address. */
function logoOf(team: TeamRow | undefined): URL | undefined {
  const url = team?.logo ? URL.parse(team.logo) : null
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

/** Longer periods only show their end. */
const LONGEST_SHOWN = 100 * 60

/** The payer's remaining time on the world's clock, or undefined if it is unlimited. */
function leftOf(row: TransactionRow, clock: Clock) {
  const until = waitsUntil(row)
  return until === undefined
    ? undefined
    : { until, seconds: Math.max(0, Math.ceil((until - clock.now()) / 1_000)) }
}

/** A countdown in CSS, since the page has no script. */
export function countdown(row: TransactionRow, clock: Clock) {
  const left = leftOf(row, clock)
  return left && left.seconds < LONGEST_SHOWN ? html`<span class="left" aria-hidden="true"></span>` : ''
}

/** The remaining time in words. */
export function waitsText(row: TransactionRow, clock: Clock) {
  const left = leftOf(row, clock)
  if (!left) return ''
  const time = exactTime(left.until)
  const still = clock.state.speed === 0 ? ' The clock is frozen.' : ''
  return html`<p class="waits">
    Complete the payment by <time datetime="${time}">${time.slice(11, 16)} UTC</time> on the sandbox's
    clock.${still}
  </p>`
}

/** The style of the countdown. It counts seconds of the world, whose clock may be faster or frozen. */
export function countdownStyle(row: TransactionRow, clock: Clock): string {
  const left = leftOf(row, clock)
  if (!left || left.seconds >= LONGEST_SHOWN) return ''
  const { speed } = clock.state
  const runs = speed > 0 ? `animation: left ${(left.seconds / speed).toFixed(3)}s linear forwards;` : ''
  return `
@property --left { syntax: '<integer>'; inherits: true; initial-value: 0; }
@property --minutes { syntax: '<integer>'; inherits: true; initial-value: 0; }
@keyframes left { to { --left: 0; } }
.left { --left: ${left.seconds}; ${runs} }
.left::after { --minutes: max(0, var(--left) / 60 - 0.5); counter-reset: minutes var(--minutes) seconds calc(var(--left) - 60 * var(--minutes)); content: counter(minutes) ':' counter(seconds, decimal-leading-zero); }
`
}

/** Seconds between two checks whether the payer has approved on the phone. */
const LOOKS_EVERY = 8

/**
 * When the page reloads: after the payment expires, and every few seconds while a prompt waits on the phone.
 * A frozen world only reloads for prompts.
 */
export function reload(row: TransactionRow, clock: Clock) {
  const asked = rails[row.rail].payer !== 'card' && row.payer_due_at !== undefined
  const until = waitsUntil(row)
  const { speed } = clock.state
  const ends =
    until === undefined || speed === 0
      ? Infinity
      : Math.max(1, Math.ceil((until - clock.now()) / speed / 1_000) + 1)
  const after = asked ? Math.min(LOOKS_EVERY, ends) : ends
  return after === Infinity ? undefined : { after }
}

/** Seconds that the outcome is shown before the redirect. */
const SHOWN_FOR = 3

/** The outcome of a payment with the way back to the shop. */
function outcome(row: TransactionRow, url: string | undefined, isHosted: boolean) {
  const { title, kind, more } = outcomeOf(row)
  return html`<p class="outcome ${kind}" role="status">
      <strong>${title}</strong> ${flatResult(row).message} ${more && html`<span>${more}</span>`}
    </p>
    ${url === undefined ? html`<p class="waits">You can close this page.</p>` : wayBack(url, isHosted)}`
}

function wayBack(url: string, isHosted: boolean) {
  const host = html`<bdi>${new URL(url).host}</bdi>`
  return isHosted
    ? html`<a class="button" href="${url}">Continue to ${host}</a>`
    : html`<a class="button" href="${url}">Back to the shop</a>
        <p class="waits">Redirecting to ${host} in ${SHOWN_FOR} seconds.</p>`
}

interface Outcome {
  readonly title: string
  readonly kind: 'good' | 'bad' | 'off'
  readonly more?: string
}

function outcomeOf({ status, reason }: TransactionRow): Outcome {
  if (status === 'SUCCESS') return { title: 'Paid', kind: 'good' }
  if (status === 'REVERSED') return { title: 'Refunded', kind: 'off' }
  const more = 'You were not charged.'
  if (reason === 'cancelled') return { title: 'Cancelled', kind: 'off', more }
  if (reason === 'expired') return { title: 'Expired', kind: 'off', more }
  return { title: 'Payment failed', kind: 'bad', more }
}

/**
 * Adds `reference` and `status` to `redirect_url`, and keeps its query as written.
 * @param isHosted - removes user info, which can disguise the host
 */
function leadsTo(row: TransactionRow, isHosted: boolean): string | undefined {
  const url = row.redirect_url === '' ? null : URL.parse(row.redirect_url)
  // Imported rows may contain other schemes.
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  if (isHosted) url.username = url.password = ''
  const added = new URLSearchParams({ reference: row.reference, status: flatResult(row).status })
  url.search = url.search === '' ? `?${added}` : `${url.search}&${added}`
  return url.href
}

/** The steps on the payer's phone or at the bank, with buttons that simulate both ends. */
function byHand(row: TransactionRow) {
  return html`${isOfPhone(row) ? phoneSteps(row) : bankSteps(row)}
    <form method="post" class="choice">
      <button name="action" value="pay">Pay ${moneyText(row.amount, row.currency)}</button>
      <button name="action" value="cancel" class="plain">Cancel</button>
    </form>`
}

const phoneSteps = (row: TransactionRow) =>
  html`<h2>Confirm on your phone</h2>
    <ol class="steps">
      <li>
        ${
          row.payer_due_at === undefined
            ? html`We sent a payment request to <bdi>${row.party}</bdi>.`
            : html`<strong>We sent a payment prompt to <bdi>${row.party}</bdi>.</strong>`
        }
      </li>
      <li>Enter your PIN on the phone.</li>
      <li>This page continues automatically.</li>
    </ol>
    <p class="waits">No phone at hand? Use these buttons instead.</p>`

const bankSteps = (row: TransactionRow) =>
  html`<h2>Confirm with your bank</h2>
    <ol class="steps">
      <li>We sent a request to your bank for the account <bdi>${row.party}</bdi>.</li>
      <li>Approve it with your bank.</li>
      <li>This page continues automatically.</li>
    </ol>
    <p class="waits">This test mode has no bank. Use these buttons instead.</p>`

/** Shown to a payer who returns from the bank without confirming. */
const challenged = (row: TransactionRow, card: CardAttempt, bank: string, refused?: RefusedCard) =>
  html`<p class="alert ask" role="status">
      <strong>Confirm this payment with your bank.</strong> ${card.brand} ending in ${card.last4} is not
      charged until you do.
    </p>
    <a class="button" href="${bank}">Go to your bank</a>
    ${
      cardsLeft(row) === 0
        ? html`<form method="post" class="choice">
            <button name="action" value="cancel" class="plain">Cancel</button>
          </form>`
        : html`<details class="another" ${refused && html`open`}>
            <summary>Use another card, or cancel</summary>
            ${cardForm(row, refused)}
          </details>`
    }`

export const checkoutStyle = browserFile('checkout.css')
