import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { answerChallenge, challengeOf } from '../../service/domain/checkout.ts'
import { moneyText } from '../../service/domain/money.ts'
import type { Env } from '../../http/exchange.ts'
import type { CardAttempt } from '../../storage/store/payment-rows.ts'
import { readAction, refusedForm, missing, page } from '../page.ts'
import { countdown, countdownStyle, reload, waitsText, checkoutStyle } from './view.ts'
import { type Checkout, type FindCheckout, nothingThere, pathsOf } from './find.ts'

/** The 3-D Secure page of the card's bank, below the address of the checkout page and with the same proof. */
export function bankPage(app: Hono<Env>, find: FindCheckout): void {
  app.get('/checkout/:world/:id/bank', async (c) => {
    const found = await find(c)
    if (!found) return missing(c, nothingThere(c))
    const asked = challengeOf(found.row)
    return asked ? bankView(c, found, asked) : c.redirect(pathsOf(c, found).own, 303)
  })

  app.post('/checkout/:world/:id/bank', async (c) => {
    const found = await find(c)
    if (!found) return missing(c, nothingThere(c))
    try {
      const answer = await readAction(c, ['pass', 'fail'])
      await found.world.change((tx) => answerChallenge(tx, found.row.id, answer))
    } catch (error) {
      return refusedForm(c, error)
    }
    return c.redirect(pathsOf(c, found).own, 303)
  })
}

/** The bank's colours differ from those of the Team. */
const bankStyle = `
:root { --accent: var(--bank); }
main { border-top: 0.4rem solid var(--accent); }
`

function bankView(c: Context, found: Checkout, card: CardAttempt) {
  const { row, team, world } = found
  const { clock } = world
  return page(c, {
    title: 'Example Bank: confirm a payment',
    moreStyle: checkoutStyle + bankStyle + countdownStyle(row, clock),
    next: reload(row, clock),
    body: html`<div class="head">
        <h1>Example Bank</h1>
        ${countdown(row, clock)}
      </div>
      <p class="question">Confirm this payment?</p>
      <dl>
        <dt>To</dt>
        <dd><bdi>${team?.name ?? 'a deleted Team'}</bdi></dd>
        <dt>Amount</dt>
        <dd>${moneyText(row.amount, row.currency)}</dd>
        <dt>Card</dt>
        <dd>${card.brand} ending in ${card.last4}</dd>
      </dl>
      <form method="post" class="choice">
        <button name="action" value="pass">Confirm</button>
        <button name="action" value="fail" class="plain">Reject</button>
      </form>
      <p class="back"><a href="${pathsOf(c, found).own}">Back to the payment</a></p>
      ${waitsText(row, clock)}
      <footer>Test mode: there is no bank, and no money moves.</footer>`,
  })
}
