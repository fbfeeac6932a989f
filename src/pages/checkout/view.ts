import { rails } from '../../service/vocabulary/rails.ts'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { challengeOf } from '../../service/domain/checkout.ts'
import { groupedMoney } from '../../service/domain/money.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { page } from '../page.ts'
import { brandStyle, logoOf } from './brand.ts'
import { byHand } from './by-hand.ts'
import { cardForm, type RefusedCard } from './card-form.ts'
import { challenged } from './challenged.ts'
import { countdown, countdownStyle, reload, waitsText } from './countdown.ts'
import { type Checkout, pathsOf } from './find.ts'
import { leadsTo, outcome, SHOWN_FOR } from './outcome.ts'
import { checkoutStyle } from './style.ts'

/** The page of a payment as it is now: what the payer can do, or what came of it and the way back to the shop. */
export function checkoutView(c: Context, found: Checkout, refused?: RefusedCard) {
  const { row, team, world, isHosted } = found
  const { clock } = world
  const name = team?.name ?? 'a Team that is gone'
  const logo = logoOf(team)
  const url = leadsTo(row, isHosted)
  const waits = row.status === 'QUEUED'
  return page(c, {
    // Marks that keep a name which is written from right to left to itself.
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
        <dt>By</dt>
        <dd>${by(row)}</dd>
        ${rails[row.rail].payer === 'card' ? '' : line('From', row.party)}
        ${row.external_reference === '' ? '' : line('Order', row.external_reference)}
        ${line('Reference', row.reference)}
      </dl>
      ${waits ? choice(c, found, refused) : outcome(row, url, isHosted)} ${waits ? waitsText(row, clock) : ''}
      <footer>This is a sandbox: no money moves.</footer>`,
  })
}

/** Which card it is, where one has been charged or its bank asks; one that was declined is told of beside the form. */
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
