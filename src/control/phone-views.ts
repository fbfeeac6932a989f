import { isOfPhone } from '../service/vocabulary/rails.ts'
import type { Look } from '../service/domain/context.ts'
import { isLocked, phoneOf, waitsUntil } from '../service/domain/payer.ts'
import { phoneRow } from '../service/domain/phone-changes.ts'
import { fromShillings, toMajor } from '../service/domain/money.ts'
import { isPrompt } from '../service/domain/prompts.ts'
import type { Phone } from '../service/domain/phones.ts'
import { flatResult } from '../service/domain/results.ts'
import { businessOf, messagesOf, promptText } from '../service/domain/sms.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { Phone as PhoneView, PhoneSummary, Prompt } from '../generated/control/schemas.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { PhoneRow } from '../storage/store/rows.ts'

/** How many of a phone's last payments are looked at. */
const LOOKED_AT = 1_000
const MOST_PROMPTS = 20
const MOST_MESSAGES = 50
const MOST_OFFERS = 50
/** What a phone begins with, in Kenya shillings or their worth: as much as the largest payment there is. */
const FIRST_BALANCE = 1_000_000

export function promptView(look: Look, row: TransactionRow): Prompt {
  const until = waitsUntil(row)
  return {
    id: row.reference,
    external_reference: row.external_reference,
    phone: phoneOf(row),
    account_id: row.account_id,
    business: businessOf(look, row),
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    text: promptText(look, row),
    state: stateOf(row),
    reason: row.reason,
    message: row.status === 'QUEUED' ? '' : flatResult(row).message,
    created_at: exactTime(row.created_at),
    expires_at: until === undefined ? null : exactTime(until),
    answered_at: row.answered_at === undefined ? null : exactTime(row.answered_at),
    ended_at: row.settled_at === null ? null : exactTime(row.settled_at),
  }
}

export function stateOf({ status }: TransactionRow): Prompt['state'] {
  if (status === 'QUEUED') return 'waiting'
  return status === 'FAILED' ? 'failed' : 'paid'
}

export function phoneSummary(row: PhoneRow, country: string, waiting: number): PhoneSummary {
  const { number, on, registered, operator } = row
  return { number, country, on, registered, operator, locked: isLocked(row), waiting }
}

/** A phone with what is on it: its money, prompts, messages and what its menu can pay. */
export function phoneView(look: Look, { digits, country }: Phone): PhoneView {
  const row = phoneRow(look, digits)
  const payments = look.rows
    .newest('transactions', 'party', digits, { offset: 0, limit: LOOKED_AT })
    .filter(isOfPhone)
  const prompts = payments.filter(isPrompt)
  const waiting = prompts.filter(({ status }) => status === 'QUEUED').length
  const messages = messagesOf(look, payments, MOST_MESSAGES)
  return {
    ...phoneSummary(row, country.code, waiting),
    pin: row.pin,
    wrong_pins: row.wrong_pins,
    balances: balances(row, country.currency, payments),
    prompts: prompts.slice(0, MOST_PROMPTS).map((each) => promptView(look, each)),
    messages: messages.map(({ at, text, row: { reference: transaction } }) => ({
      at: exactTime(at),
      text,
      transaction,
    })),
    menu: payments
      .filter(({ is_offline, status }) => is_offline && status === 'QUEUED')
      .slice(0, MOST_OFFERS)
      .map((each) => offerView(look, each)),
  }
}

function offerView(look: Look, row: TransactionRow): PhoneView['menu'][number] {
  const [job] = look.rows.find('jobs', 'expire', row.id)
  return {
    transaction: row.reference,
    business: businessOf(look, row),
    business_number: '756756',
    account_number: `553125#${row.checkout_request_id}`,
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    expires_at: job ? exactTime(job.due_at) : null,
  }
}

/** What somebody has said that it holds; its country's currency first in any case, reckoned from what it paid and received. */
function balances(row: PhoneRow, own: string, payments: readonly TransactionRow[]): PhoneView['balances'] {
  const { [own]: said, ...others } = row.balances
  const money = (currency: string, amount: number, limited: boolean) => ({
    currency,
    amount: toMajor(amount, currency),
    limited,
  })
  return [
    money(own, said ?? reckoned(own, payments), said !== undefined),
    ...Object.entries(others).map(([currency, amount]) => money(currency, amount, true)),
  ]
}

function reckoned(own: string, payments: readonly TransactionRow[]): number {
  const moved = payments
    .filter(({ status, currency }) => status === 'SUCCESS' && currency === own)
    .reduce((sum, { direction, amount }) => sum + (direction === 'payin' ? -amount : amount), 0)
  return Math.max(0, fromShillings(FIRST_BALANCE, own) + moved)
}
