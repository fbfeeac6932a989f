import { html } from 'hono/html'
import { cardsLeft } from '../../service/domain/checkout.ts'
import type { CardAttempt, TransactionRow } from '../../storage/store/payment-rows.ts'
import { cardForm, type RefusedCard } from './card-form.ts'

/** A payer who has come back from the bank without an answer: to it again, to another card, or nowhere. */
export const challenged = (row: TransactionRow, card: CardAttempt, bank: string, refused?: RefusedCard) =>
  html`<p class="alert ask" role="status">
      <strong>Your bank has to confirm this payment.</strong> ${card.brand} ending in ${card.last4} is not
      charged before.
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
