import { html } from 'hono/html'
import { type CardFaults, type CardField, testCards, type TypedCard } from '../../service/domain/cards.ts'
import { cardsLeft, declineOf } from '../../service/domain/checkout.ts'
import { moneyText } from '../../service/domain/money.ts'
import { reasons } from '../../service/vocabulary/reasons.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'

export type Typed = Required<TypedCard> & { readonly name: string }

/** A submitted form with its errors. */
export interface RefusedCard {
  readonly typed: Typed
  readonly faults: CardFaults
}

export const isAtFault = (faults: CardFaults): boolean => Object.keys(faults).length > 0

/** Returns the submitted card, or undefined if the form has no card, as those that programs send. */
export function typedIn(fields: URLSearchParams): Typed | undefined {
  const number = fields.get('number')
  if (number === null) return undefined
  const [expiry = '', cvc = '', name = ''] = ['expiry', 'cvc', 'name'].map((field) => fields.get(field) ?? '')
  return { number, expiry, cvc, name }
}

interface Field {
  readonly label: string
  readonly autocomplete: string
  readonly hint?: string
  readonly numeric?: boolean
  /** Never filled in again, because pages may be cached in places that must not contain card numbers. */
  readonly secret?: boolean
}

const fields: { readonly [Name in CardField]-?: Field } = {
  number: { label: 'Card number', autocomplete: 'cc-number', numeric: true, secret: true },
  expiry: { label: 'Expiry', autocomplete: 'cc-exp', hint: 'MM/YY', numeric: true },
  cvc: { label: 'CVC', autocomplete: 'cc-csc', hint: '3 or 4 digits', numeric: true, secret: true },
  name: { label: 'Name on card', autocomplete: 'cc-name' },
}

/** The card form, with the result of the previous attempt. */
export function cardForm(row: TransactionRow, refused?: RefusedCard) {
  const first =
    refused && (Object.keys(fields) as CardField[]).find((name) => refused.faults[name] !== undefined)
  const field = (name: CardField) => input(name, refused, name === first)
  return html`<form method="post" class="card" novalidate>
      <h2>Pay by card</h2>
      ${refused ? tellFaults(refused) : tellDecline(row)} ${field('number')}
      <div class="pair">${field('expiry')} ${field('cvc')}</div>
      ${field('name')}
      <button name="action" value="pay">Pay ${moneyText(row.amount, row.currency)}</button>
      <button name="action" value="cancel" class="plain">Cancel</button>
    </form>
    ${testCardList()}`
}

function input(name: CardField, refused: RefusedCard | undefined, focused: boolean) {
  const { label, autocomplete, hint, numeric = false, secret = false } = fields[name]
  const fault = refused?.faults[name]
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      autocomplete="${autocomplete}"
      ${numeric && html`inputmode="numeric"`}
      ${secret ? '' : html`value="${refused?.typed[name] ?? ''}"`}
      spellcheck="false"
      aria-required="true"
      ${described && html`aria-describedby="${described}"`}
      ${fault !== undefined && html`aria-invalid="true"`}
      ${focused && html`autofocus`}
    />
    ${hint && html`<small id="${name}-hint">${hint}</small>`}
    ${fault !== undefined && html`<small class="fault" id="${name}-fault">${label} ${fault}.</small>`}
  </div>`
}

function tellFaults({ faults }: RefusedCard) {
  const count = Object.keys(faults).length
  const told = `${count === 1 ? 'One field needs' : `${count} fields need`} another look.`
  return html`<p class="alert" role="alert"><strong>You were not charged.</strong> ${told}</p>`
}

function tellDecline(row: TransactionRow) {
  const declined = declineOf(row)
  if (!declined?.reason) return ''
  const left = cardsLeft(row)
  return html`<p class="alert" role="alert">
    <strong>${declined.brand} ending in ${declined.last4} was declined.</strong>
    ${reasons[declined.reason].text}
    ${left === 1 ? 'You can try one more card.' : `You can try ${left} more cards.`}
  </p>`
}

const testCardList = () =>
  html`<details class="test-cards">
    <summary>Test cards</summary>
    <p>
      With any expiry that is not past, any CVC and any name. Every other card is approved, if its check digit
      is right.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Card number</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        ${testCards.map(
          ({ number, brand, title }) =>
            html`<tr>
              <td><code>${grouped(number)}</code> <small>${brand}</small></td>
              <td>${title}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`

/** Groups the digits as on the card. */
const grouped = (number: string) =>
  number.startsWith('3') ? number.replace(/^(.{4})(.{6})/, '$1 $2 ') : number.replace(/(.{4})(?=.)/g, '$1 ')
