import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { answerChallenge, challengeOf, codesLeft } from '../../service/domain/checkout.ts'
import type { Env } from '../../http/exchange.ts'
import type { CardAttempt } from '../../storage/store/payment-rows.ts'
import { page, readForm, refusedForm } from '../page.ts'
import {
  checkoutScript,
  checkoutStyle,
  countdown,
  countdownStyle,
  line,
  reload,
  ribbon,
  waitsText,
} from './view.ts'
import { speechOf } from './speech.ts'
import { type Checkout, pathsOf, type WithCheckout } from './find.ts'

/** The 3-D Secure page of the card's bank, below the address of the checkout page and with the same proof. */
export function bankPage(app: Hono<Env>, found: WithCheckout): void {
  app.get(
    '/checkout/:world/:id/bank',
    found((c, checkout) => {
      const asked = challengeOf(checkout.row)
      return asked ? bankView(c, checkout, asked) : c.redirect(pathsOf(c, checkout).own, 303)
    }),
  )

  app.post(
    '/checkout/:world/:id/bank',
    found(async (c, checkout) => {
      const { own, bank } = pathsOf(c, checkout)
      try {
        const { action, fields } = await readForm(c, ['pass', 'fail', 'resend'])
        const code = fields.get('code')
        if (action === 'resend') return c.redirect(`${bank}?sent`, 303)
        // Programs send no code.
        const isWrong = action === 'pass' && code !== null && code.replace(/\s/g, '') !== CODE
        await checkout.world.change((tx) => answerChallenge(tx, checkout.row.id, isWrong ? 'wrong' : action))
        // After the last code, the bank's page leads back to the payment.
        if (isWrong) return c.redirect(`${bank}?wrong`, 303)
      } catch (error) {
        return refusedForm(c, error)
      }
      return c.redirect(own, 303)
    }),
  )
}

/** The code that every challenge accepts. */
const CODE = '123456'

/** The bank's colours differ from those of the Team. */
const bankStyle = `
:root { --accent: var(--bank); }
main { border-top: 0.4rem solid var(--accent); }
`

function bankView(c: Context, found: Checkout, card: CardAttempt) {
  const { row, team, world } = found
  const { clock } = world
  const speech = speechOf(c, row)
  const { words } = speech
  const isWrong = c.req.query('wrong') !== undefined
  return page(c, {
    title: `${words.exampleBank}: ${words.confirmQuestion}`,
    language: speech.locale,
    script: checkoutScript,
    connects: true,
    before: ribbon(words),
    moreStyle: checkoutStyle + bankStyle + countdownStyle(row, clock),
    next: reload(row, clock),
    body: html`<div class="head">
        <h1>${words.exampleBank}</h1>
        ${countdown(row, clock)}
      </div>
      <p class="question">${words.confirmQuestion}</p>
      <dl>
        ${line(words.to, team?.name ?? words.deletedTeam)}
        ${line(words.amount, speech.money(row.amount, row.currency))}
        ${line(words.card, words.cardEnding(card.brand, card.last4))}
      </dl>
      <form method="post" class="choice">
        <div class="field">
          <label for="code">${words.code}</label>
          <input
            id="code"
            name="code"
            inputmode="numeric"
            autocomplete="one-time-code"
            maxlength="12"
            required
            aria-describedby="code-hint"
            ${isWrong && html`aria-invalid="true"`}
          />
          <small id="code-hint" ${isWrong && html`class="fault" role="alert"`}>
            ${isWrong ? `${words.wrongCode} ${words.codesLeft(codesLeft(card))}` : ''}
            ${c.req.query('sent') === undefined ? '' : words.codeResent} ${words.codeSent(CODE)}
          </small>
        </div>
        <button name="action" value="pass">${words.confirm}</button>
        <button name="action" value="resend" class="plain" formnovalidate>${words.resendCode}</button>
        <button name="action" value="fail" class="plain" formnovalidate>${words.reject}</button>
      </form>
      <p class="back"><a href="${pathsOf(c, found).own}">${words.backToPayment}</a></p>
      ${waitsText(row, clock, speech)}
      <footer>${words.testBank}</footer>`,
  })
}
