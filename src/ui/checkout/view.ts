import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Clock } from '../../clock.ts'
import { groupedMoney } from '../../domain/money.ts'
import { waitsUntil } from '../../domain/payer.ts'
import { flatResult } from '../../domain/results.ts'
import { exactTime } from '../../domain/wire-time.ts'
import type { TeamRow, TransactionRow } from '../../store/rows.ts'
import { page } from '../page.ts'
import { brandStyle, checkoutStyle, logoOf } from './brand.ts'

/** A payment, and the Team that is paid; undefined when that is gone. */
export interface Checkout {
  readonly row: TransactionRow
  readonly team: TeamRow | undefined
}

/** How long an outcome is shown before the payer is led on, seconds. */
const SHOWN_FOR = 3

const rails = { momo: 'Mobile money', bank: 'Bank account', card: 'Card' } as const

/** The page of a payment as it is now: a choice, or what came of it and the way back to the shop. */
export function checkoutView(c: Context, { row, team }: Checkout, clock: Clock) {
  const name = team?.name ?? 'a Team that is gone'
  const logo = logoOf(team)
  const url = leadsTo(row)
  const waits = row.status === 'QUEUED'
  return page(c, {
    // Marks that keep a name which is written from right to left to itself.
    title: `Pay \u2068${name}\u2069`,
    moreStyle: checkoutStyle + brandStyle(team),
    picture: logo,
    next: waits ? reload(row, clock) : url === undefined ? undefined : { after: SHOWN_FOR, url },
    body: html`${logo && html`<img class="logo" src="${logo.href}" alt="" referrerpolicy="no-referrer" />`}
      <h1><bdi>${name}</bdi></h1>
      <p class="amount">${row.currency} ${groupedMoney(row.amount, row.currency)}</p>
      ${team?.payment_note ? html`<p class="note" dir="auto">${team.payment_note}</p>` : ''}
      <dl>
        <dt>By</dt>
        <dd>${rails[row.rail]}</dd>
        ${row.rail === 'card' ? '' : line('From', row.party)}
        ${row.external_reference === '' ? '' : line("The shop's reference", row.external_reference)}
        ${line('Reference', row.reference)}
      </dl>
      ${waits ? choice(row) : outcome(row, url)}
      <footer>This is a sandbox: no money moves.</footer>`,
  })
}

const line = (term: string, text: string) =>
  html`<dt>${term}</dt>
    <dd><bdi>${text}</bdi></dd>`

function choice(row: TransactionRow) {
  const until = waitsUntil(row)
  const time = until === undefined ? '' : exactTime(until)
  return html`<form method="post">
      <button name="action" value="cancel" class="plain">Cancel</button>
      <button name="action" value="pay">Pay</button>
    </form>
    ${
      time &&
      html`<p class="waits">
        Waits for you until <time datetime="${time}">${time.slice(11, 16)} UTC</time> of the sandbox's clock,
        and expires then.
      </p>`
    }`
}

/** The page anew when it has waited long enough, to say so; not where the world's time stands still. */
function reload(row: TransactionRow, clock: Clock) {
  const until = waitsUntil(row)
  const { factor } = clock.state
  if (until === undefined || factor === 0) return undefined
  const after = Math.ceil((until - clock.now()) / factor / 1_000) + 1
  return { after: Math.max(1, after) }
}

function outcome(row: TransactionRow, url: string | undefined) {
  const { title, kind } = outcomeOf(row)
  return html`<p class="outcome ${kind}" role="status">
      <strong>${title}</strong> ${flatResult(row).message}
    </p>
    ${
      url === undefined
        ? ''
        : html`<a class="button" href="${url}">Back to the shop</a>
            <p class="waits">You are taken there in ${SHOWN_FOR} seconds.</p>`
    }`
}

function outcomeOf({ status, reason }: TransactionRow): { title: string; kind: 'good' | 'bad' | 'off' } {
  if (status === 'SUCCESS') return { title: 'Paid', kind: 'good' }
  if (status === 'REVERSED') return { title: 'Paid back', kind: 'off' }
  if (reason === 'cancelled') return { title: 'Cancelled', kind: 'off' }
  if (reason === 'expired') return { title: 'Expired', kind: 'off' }
  return { title: 'Not paid', kind: 'bad' }
}

/** `redirect_url` with `reference` and `status` added; the query it has stays as it was written. */
function leadsTo(row: TransactionRow): string | undefined {
  const url = row.redirect_url === '' ? null : URL.parse(row.redirect_url)
  // Rows that were imported may have another.
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const added = new URLSearchParams({ reference: row.reference, status: flatResult(row).status })
  url.search = url.search === '' ? `?${added}` : `${url.search}&${added}`
  return url.href
}
