import { html } from 'hono/html'
import {
  type CardFaults,
  type CardField,
  prefixes,
  testCards,
  type TypedCard,
} from '../../service/domain/cards.ts'
import { cardsLeft, declineOf } from '../../service/domain/checkout.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { reasonText, type Speech, type Words } from './words.ts'

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
  readonly autocomplete: string
  readonly hint?: 'expiryHint' | 'cvcHint'
  readonly numeric?: boolean
  /** Never filled in again, because pages may be cached in places that must not contain card numbers. */
  readonly secret?: boolean
}

const fields: { readonly [Name in CardField]-?: Field } = {
  number: { autocomplete: 'cc-number', numeric: true, secret: true },
  expiry: { autocomplete: 'cc-exp', hint: 'expiryHint', numeric: true },
  cvc: { autocomplete: 'cc-csc', hint: 'cvcHint', numeric: true, secret: true },
  name: { autocomplete: 'cc-name' },
}

/** The card form, with the result of the previous attempt. */
export function cardForm(row: TransactionRow, { words, money }: Speech, refused?: RefusedCard) {
  const first =
    refused && (Object.keys(fields) as CardField[]).find((name) => refused.faults[name] !== undefined)
  const field = (name: CardField) => input(name, words, refused, name === first)
  return html`<form method="post" class="card" novalidate>
      <h2>${words.payByCard}</h2>
      ${refused ? tellFaults(refused, words) : tellDecline(row, words)} ${field('number')}
      <div class="pair">${field('expiry')} ${field('cvc')}</div>
      ${field('name')}
      <button name="action" value="pay">${words.payAmount(money(row.amount, row.currency))}</button>
      <button name="action" value="cancel" class="plain">${words.cancel}</button>
    </form>
    ${testCardList(words)}`
}

function input(name: CardField, words: Words, refused: RefusedCard | undefined, focused: boolean) {
  const { autocomplete, hint, numeric = false, secret = false } = fields[name]
  const fault = refused?.faults[name]
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  return html`<div class="field">
    <label for="${name}">${words[name]}</label>
    <input
      id="${name}"
      name="${name}"
      autocomplete="${autocomplete}"
      ${numeric && html`inputmode="numeric"`}
      ${secret ? '' : html`value="${refused?.typed[name] ?? ''}"`}
      ${name === 'number' ? html`data-brands="${brands}"` : ''}
      spellcheck="false"
      aria-required="true"
      ${described && html`aria-describedby="${described}"`}
      ${fault !== undefined && html`aria-invalid="true"`}
      ${focused && html`autofocus`}
    />
    ${name === 'number' ? html`<output id="brand" for="number"></output>` : ''}
    ${hint && html`<small id="${name}-hint">${words[hint]}</small>`}
    ${fault !== undefined && html`<small class="fault" id="${name}-fault">${words[name]} ${words.fault(fault)}.</small>`}
  </div>`
}

/** The beginnings of card numbers by brand, for the script. */
const brands = JSON.stringify(prefixes.map(([begins, brand]) => [begins.source, brand]))

const tellFaults = ({ faults }: RefusedCard, words: Words) =>
  html`<p class="alert" role="alert">
    <strong>${words.notCharged}</strong> ${words.faults(Object.keys(faults).length)}
  </p>`

function tellDecline(row: TransactionRow, words: Words) {
  const declined = declineOf(row)
  if (!declined?.reason) return ''
  return html`<p class="alert" role="alert">
    <strong>${words.declined(words.cardEnding(declined.brand, declined.last4))}</strong>
    ${reasonText(words, declined.reason)} ${words.cardsLeft(cardsLeft(row))}
  </p>`
}

const testCardList = (words: Words) =>
  html`<details class="test-cards">
    <summary>${words.testCards}</summary>
    <p>${words.testCardsHint}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">${words.number}</th>
          <th scope="col">${words.result}</th>
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
