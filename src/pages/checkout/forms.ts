/** The forms of payment pages, and what was typed into them. */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { originOf } from '../../http/caller.ts'
import {
  brandOf,
  type CardFaults,
  type CardField,
  prefixes,
  readCard,
  testCards,
} from '../../service/domain/cards.ts'
import { cardsLeft, declineOf, pageNetworks, readRailChoice } from '../../service/domain/checkout.ts'
import { Faults } from '../../service/domain/errors.ts'
import type { Rail } from '../../service/vocabulary/rails.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { World } from '../../worlds/world.ts'
import { type Checkout, pathsOf } from './find.ts'
import { reasonText, type Speech } from './speech.ts'
import type { Words } from './words.ts'

/** The form's fields as typed; one that the form does not have is empty. */
export type Typed = { readonly [Name in CardField | 'rail' | 'network' | 'account_number']-?: string }

/** A form that is shown again. */
export interface Retry {
  readonly typed: Typed
  readonly faults: CardFaults
}

/** Longer texts are cut. A name one character too long is still at fault. */
const KEPT = { number: 64, expiry: 32, cvc: 32, name: 256, rail: 16, network: 64, account_number: 64 }

export const typedIn = (fields: URLSearchParams): Typed =>
  Object.fromEntries(
    Object.entries(KEPT).map(([name, most]) => [name, (fields.get(name) ?? '').slice(0, most)]),
  ) as Typed

export const cardFaults = (typed: Typed, now: number): CardFaults => {
  const { faults } = readCard(typed, now)
  return typed.name.trim() === '' ? { ...faults, name: 'is required' } : faults
}

/**
 * What was typed survives the redirect after a form in a cookie of the page's path. It is encrypted, since browsers
 * write cookies to disks, and ends after a minute or when it is shown.
 */
const COOKIE = 'typed'

const keyOf = (world: World, { id, created_at }: TransactionRow) =>
  createHash('sha256')
    .update(world.random.secret(`typed ${created_at}`, id))
    .digest()

export function keepTyped(c: Context, found: Checkout, typed: Typed): void {
  const key = keyOf(found.world, found.row)
  const text = JSON.stringify(typed)
  // Derived from the text, so that no two texts share one.
  const iv = createHash('sha256').update(key).update(text).digest().subarray(0, 12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const body = Buffer.concat([cipher.update(text), cipher.final()])
  setCookie(c, COOKIE, Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url'), {
    path: pathsOf(c, found).own,
    httpOnly: true,
    sameSite: 'Strict',
    secure: originOf(c).startsWith('https:'),
    maxAge: 60,
  })
}

export function takeTyped(c: Context, found: Checkout): Typed | undefined {
  const kept = getCookie(c, COOKIE)
  if (kept === undefined) return undefined
  deleteCookie(c, COOKIE, { path: pathsOf(c, found).own })
  const bytes = Buffer.from(kept, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(found.world, found.row), bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return JSON.parse(`${decipher.update(bytes.subarray(28), undefined, 'utf8')}${decipher.final('utf8')}`)
  } catch {
    // Of another payment, or changed.
    return undefined
  }
}

const fields: {
  readonly [Name in CardField]-?: {
    readonly autocomplete: string
    readonly hint?: 'expiryHint' | 'cvcHint'
    readonly numeric?: boolean
  }
} = {
  number: { autocomplete: 'cc-number', numeric: true },
  expiry: { autocomplete: 'cc-exp', hint: 'expiryHint', numeric: true },
  cvc: { autocomplete: 'cc-csc', hint: 'cvcHint', numeric: true },
  name: { autocomplete: 'cc-name' },
}

/** The card form, with the result of the previous attempt. */
export function cardForm(row: TransactionRow, { words, money }: Speech, retry?: Retry) {
  const faults = Object.keys(retry?.faults ?? {})
  const first = (Object.keys(fields) as CardField[]).find((name) => faults.includes(name))
  const field = (name: CardField) => input(name, words, retry, name === first)
  return html`<form method="post" class="card" novalidate>
      <h2>${words.payByCard}</h2>
      <input type="hidden" name="rail" value="card" />
      ${faults.length > 0 ? tellFaults(faults.length, words) : tellDecline(row, words)} ${field('number')}
      <div class="pair">${field('expiry')} ${field('cvc')}</div>
      ${field('name')}
      <button name="action" value="pay">${words.payAmount(money(row.amount, row.currency))}</button>
      <button name="action" value="cancel" class="plain">${words.cancel}</button>
    </form>
    ${testCardList(words)}`
}

function input(name: CardField, words: Words, retry: Retry | undefined, focused: boolean) {
  const { autocomplete, hint, numeric = false } = fields[name]
  const fault = retry?.faults[name]
  const typed = retry?.typed[name] ?? ''
  const digits = name === 'number' ? typed.replace(/[\s-]/g, '') : ''
  const brand = digits && brandOf(digits)
  const value = /^\d+$/.test(digits) ? grouped(digits) : typed
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  return html`<div class="field">
    <label for="${name}">${words[name]}</label>
    <input
      id="${name}"
      name="${name}"
      autocomplete="${autocomplete}"
      ${numeric && html`inputmode="numeric"`}
      value="${value}"
      ${name === 'number' ? html`data-brands="${brands}"` : ''}
      spellcheck="false"
      enterkeyhint="${name === 'name' ? 'go' : 'next'}"
      ${name === 'name' && html`autocapitalize="words"`}
      aria-required="true"
      ${described && html`aria-describedby="${described}"`}
      ${fault !== undefined && html`aria-invalid="true"`}
      ${focused && html`autofocus`}
    />
    ${name === 'number' ? html`<output id="brand" for="number" data-brand="${brand}">${brand}</output>` : ''}
    ${hint && html`<small id="${name}-hint">${words[hint]}</small>`}
    ${fault !== undefined && html`<small class="fault" id="${name}-fault">${words[name]} ${words.fault(fault)}.</small>`}
  </div>`
}

/** The beginnings of card numbers by brand, for the script. */
const brands = JSON.stringify(prefixes.map(([begins, brand]) => [begins.source, brand]))

const tellFaults = (count: number, words: Words) =>
  html`<p class="alert" role="alert"><strong>${words.notCharged}</strong> ${words.faults(count)}</p>`

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
          ({ number, brand, reason, three_d_secure }) =>
            html`<tr>
              <td><code>${grouped(number)}</code> <small>${brand}</small></td>
              <td>${three_d_secure && '3-D Secure: '}${reason ? reasonText(words, reason) : words.paid}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`

/** Groups the digits as on the card. */
const grouped = (number: string) =>
  number.startsWith('3') ? number.replace(/^(.{4})(.{6})/, '$1 $2 ') : number.replace(/(.{4})(?=.)/g, '$1 ')

/** The form of a rail with an account: the network, and the phone or bank account that pays. */
export function accountForm(
  { world, row }: Checkout,
  rail: Exclude<Rail, 'card'>,
  { words }: Speech,
  typed?: Typed,
) {
  const faults = new Faults()
  if (typed) readRailChoice(world, row, typed, faults)
  return html`<form method="post" class="card">
    <input type="hidden" name="rail" value="${rail}" />
    <div class="field">
      <label for="network">${rail === 'momo' ? words.network : words.bankName}</label>
      <select id="network" name="network">
        ${pageNetworks(row)[rail].map(
          ({ network_name }) =>
            html`<option
              value="${network_name}"
              ${network_name === (typed?.network ?? row.network) && html`selected`}
            >
              ${network_name}
            </option>`,
        )}
      </select>
    </div>
    <div class="field">
      <label for="account_number">${rail === 'momo' ? words.phone : words.account}</label>
      <input
        id="account_number"
        name="account_number"
        inputmode="${rail === 'momo' ? 'tel' : 'text'}"
        autocomplete="${rail === 'momo' ? 'tel' : 'off'}"
        maxlength="64"
        required
        value="${typed?.account_number ?? ''}"
        aria-describedby="account-hint"
        ${faults.any && html`aria-invalid="true" autofocus`}
      />
      <small id="account-hint" ${faults.any && html`class="fault" role="alert"`}>
        ${faults.any ? words.partyFault[rail] : words.nextHint[rail]}
      </small>
    </div>
    <button name="action" value="continue">${words.next}</button>
    <button name="action" value="cancel" class="plain" formnovalidate>${words.cancel}</button>
  </form>`
}
