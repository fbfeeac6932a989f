import { isOfPhone } from '../../service/vocabulary/rails.ts'
import { html } from 'hono/html'
import { moneyText } from '../../service/domain/money.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'

/** What the payer of a rail without a form is to do, and the two ways to end it here. */
export function byHand(row: TransactionRow) {
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
            ? html`The phone <bdi>${row.party}</bdi> is asked to pay.`
            : html`<strong>A prompt waits on the phone <bdi>${row.party}</bdi>.</strong>`
        }
      </li>
      <li>Enter your PIN there.</li>
      <li>This page goes on when you have.</li>
    </ol>
    <p class="waits">No phone at hand? These buttons answer in its place.</p>`

const bankSteps = (row: TransactionRow) =>
  html`<h2>Confirm with your bank</h2>
    <ol class="steps">
      <li>Your bank has a request for the account <bdi>${row.party}</bdi>.</li>
      <li>Approve it there.</li>
      <li>This page goes on when you have.</li>
    </ol>
    <p class="waits">There is no bank behind the sandbox: these buttons answer in its place.</p>`
