import type { Context } from 'hono'
import { html } from 'hono/html'
import { browserFile } from '../../lib/files.ts'
import type { Clock } from '../../lib/clock/clock.ts'
import { onBright, onDark } from '../../lib/palette.ts'
import { accountForm, cardFaults, cardForm, type Retry, takeTyped } from './forms.ts'
import { type Checkout, pathsOf } from './find.ts'
import { noticePage, page, wantsPage } from '../page.ts'
import { reasonText, type Speech, speechOf } from './speech.ts'
import type { Words } from './words.ts'
import { cardsLeft, challengeOf, pageNetworks } from '../../service/domain/checkout.ts'
import type { ServiceError } from '../../service/domain/errors.ts'
import { waitsUntil } from '../../service/domain/prompts.ts'
import { flatResult } from '../../service/domain/callbacks.ts'
import { exactTime } from '../../service/domain/wire-time.ts'
import { isOfPhone, type Rail, railNames, rails } from '../../service/vocabulary/rails.ts'
import type { CardAttempt, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'

/**
 * The checkout page in its current state: the payer's options, or the outcome and the way back to the shop.
 */
export function checkoutView(c: Context, found: Checkout) {
  const { row, team, world, isHosted } = found
  const { clock } = world
  const speech = speechOf(c, row)
  const { words } = speech
  const name = team?.name ?? words.deletedTeam
  const logo = logoOf(team)
  const url = leadsTo(row, isHosted)
  const waits = row.status === 'QUEUED'
  return page(c, {
    // These characters isolate right-to-left names.
    title: words.pay(`\u2068${name}\u2069`),
    language: speech.locale,
    script: checkoutScript,
    connects: true,
    before: ribbon(words),
    moreStyle: checkoutStyle + brandStyle(team) + (waits ? countdownStyle(row, clock) : ''),
    picture: logo,
    next: waits ? reload(row, clock) : url === undefined || isHosted ? undefined : { after: SHOWN_FOR, url },
    body: html`${logo && html`<img class="logo" src="${logo.href}" alt="" referrerpolicy="no-referrer" />`}
      <div class="head">
        <h1><bdi>${name}</bdi></h1>
        ${waits ? countdown(row, clock) : ''}
      </div>
      <p class="amount">${speech.money(row.amount, row.currency)}</p>
      ${team?.payment_note ? html`<p class="note" dir="auto">${team.payment_note}</p>` : ''}
      <dl>
        ${waits && !challengeOf(row) ? '' : line(words.method, by(row, words))}
        ${row.external_reference === '' ? '' : line(words.order, row.external_reference)}
        ${line(words.reference, row.reference)}
        ${row.settled_at !== null && line(words.date, html`<time datetime="${exactTime(row.settled_at)}" data-style="medium">${speech.date(row.settled_at)}</time>`)}
      </dl>
      ${waits ? choice(c, found, speech) : outcome(c, found, name, words, url)}
      ${waits ? waitsText(row, clock, speech) : ''}
      <footer>${words.noMoneyMoves}</footer>`,
  })
}

/** How the payment was made; for cards the one that was charged or is being confirmed. */
function by(row: TransactionRow, words: Words): string {
  const last = row.status === 'QUEUED' ? challengeOf(row) : row.cards?.at(-1)
  if (rails[row.rail].payer === 'card') return last ? words.cardEnding(last.brand, last.last4) : words.card
  return `${row.network ?? words[row.rail]} ${row.party}`
}

export const line = (term: string, text: string | ReturnType<typeof html>) =>
  html`<dt>${term}</dt>
    <dd><bdi>${text}</bdi></dd>`

function choice(c: Context, found: Checkout, speech: Speech) {
  const { row, world } = found
  const typed = takeTyped(c, found)
  const retry: Retry | undefined = typed && {
    typed,
    faults: typed.rail === 'card' ? cardFaults(typed, world.clock.now()) : {},
  }
  const asked = challengeOf(row)
  if (asked) return challenged(row, asked, pathsOf(c, found).bank, speech, retry)
  const open = pageNetworks(row)
  const shown = railNames.filter((rail) => rail === row.rail || open[rail].length > 0)
  const chosen = shown.find((rail) => rail === c.req.query('method')) ?? row.rail
  return html`${shown.length > 1 ? methods(shown, chosen, speech.words) : ''}
  ${
    chosen === 'card'
      ? cardForm(row, speech, retry)
      : chosen === row.rail
        ? byHand(row, speech)
        : accountForm(found, chosen, speech, typed)
  }`
}

/** The methods as links, which need no script. */
const methods = (shown: readonly Rail[], chosen: Rail, words: Words) =>
  html`<nav class="methods" aria-label="${words.methods}">
    ${shown.map(
      (rail) =>
        html`<a href="?method=${rail}" ${rail === chosen && html`aria-current="true"`}>${words[rail]}</a>`,
    )}
  </nav>`

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

/** A countdown in CSS, which needs no script. */
export function countdown(row: TransactionRow, clock: Clock) {
  const left = leftOf(row, clock)
  return left && left.seconds < LONGEST_SHOWN ? html`<span class="left" aria-hidden="true"></span>` : ''
}

/** The remaining time in words. */
export function waitsText(row: TransactionRow, clock: Clock, { words, time }: Speech) {
  const left = leftOf(row, clock)
  if (!left) return ''
  return html`<p class="waits">
    ${words.completeBy} <time datetime="${exactTime(left.until)}">${time(left.until)}</time> ${words.onClock}
    ${clock.state.speed === 0 ? words.frozen : ''}
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
function outcome(
  c: Context,
  { row, isHosted }: Checkout,
  shop: string,
  words: Words,
  url: string | undefined,
) {
  const { title, kind, text, more } = outcomeOf(row, shop, words)
  const isLate = c.req.query('late') !== undefined && row.status === 'SUCCESS'
  return html`<p class="outcome ${kind}" role="status">
      <strong>${title}</strong> ${text} ${more && html`<span>${more}</span>`}
      ${isLate && html`<span>${words.tooLate}</span>`}
    </p>
    ${url === undefined ? html`<p class="waits">${words.close}</p>` : wayBack(url, words, isHosted)}`
}

function wayBack(url: string, words: Words, isHosted: boolean) {
  const { host } = new URL(url)
  return isHosted
    ? html`<a class="button" href="${url}">${words.continueTo} <bdi>${host}</bdi></a>`
    : html`<a class="button" href="${url}">${words.backToShop}</a>
        <p class="waits">${words.redirecting(`\u2068${host}\u2069`, SHOWN_FOR)}</p>`
}

interface Outcome {
  readonly title: string
  readonly kind: 'good' | 'bad' | 'off'
  readonly text: string
  readonly more?: string
}

function outcomeOf({ status, reason }: TransactionRow, shop: string, words: Words): Outcome {
  const name = `\u2068${shop}\u2069`
  if (status === 'SUCCESS') return { title: words.paid, kind: 'good', text: words.paidMore(name) }
  if (status === 'REVERSED') return { title: words.refunded, kind: 'off', text: words.refundedMore(name) }
  const ended = { text: reasonText(words, reason), more: words.notCharged }
  if (reason === 'cancelled') return { title: words.cancelled, kind: 'off', ...ended }
  if (reason === 'expired') return { title: words.expired, kind: 'off', ...ended }
  return { title: words.failed, kind: 'bad', ...ended }
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
const byHand = (row: TransactionRow, { words, money }: Speech) =>
  html`${steps(row, words)}
    <form method="post" class="choice">
      <button name="action" value="pay">${words.payAmount(money(row.amount, row.currency))}</button>
      <button name="action" value="cancel" class="plain">${words.cancel}</button>
    </form>`

function steps(row: TransactionRow, words: Words) {
  const [title, sent, answer, without] = isOfPhone(row)
    ? [words.confirmOnPhone, words.promptSent, words.enterPin, words.noPhone]
    : [words.confirmWithBank, words.bankRequestSent, words.approveWithBank, words.noBank]
  return html`<h2>${title}</h2>
    <ol class="steps">
      <li>${sent} <bdi>${row.party}</bdi>.</li>
      <li>${answer}</li>
      <li>${words.continues}</li>
    </ol>
    <p class="waits">${without}</p>`
}

/** Shown to a payer who returns from the bank without confirming. */
function challenged(row: TransactionRow, card: CardAttempt, bank: string, speech: Speech, retry?: Retry) {
  const { words } = speech
  return html`<p class="alert ask" role="status">
      <strong>${words.challenge}</strong> ${words.challengeMore(words.cardEnding(card.brand, card.last4))}
    </p>
    <a class="button" href="${bank}">${words.toBank}</a>
    ${
      cardsLeft(row) === 0
        ? html`<form method="post" class="choice">
            <button name="action" value="cancel" class="plain">${words.cancel}</button>
          </form>`
        : html`<details class="another" ${retry && html`open`}>
            <summary>${words.anotherCard}</summary>
            ${cardForm(row, speech, retry)}
          </details>`
    }`
}

/** Responds that there is no such page, or throws the error if the client is a program. */
export function absent(c: Context, error: ServiceError) {
  if (!wantsPage(c)) throw error
  const { words, locale } = speechOf(c, { country: '' })
  return noticePage(c, {
    title: words.absent,
    language: locale,
    status: 404,
    before: ribbon(words),
    moreStyle: checkoutStyle,
    text: words.absentMore,
    footer: words.noMoneyMoves,
  })
}

export const ribbon = (words: Words) => html`<header class="ribbon">${words.testMode}</header>`
export const checkoutStyle = browserFile('checkout.css')
export const checkoutScript = browserFile('checkout.js')
