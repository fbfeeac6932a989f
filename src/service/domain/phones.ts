/** Payment prompts on phones, the state of phones, and SMS. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../lib/objects.ts'
import type {
  ChangePhoneRequest,
  PayFromPhoneRequest,
  RespondToPromptRequest,
} from '../../generated/control/types.ts'
import type { PastState, TransactionRow } from '../../storage/store/payment-rows.ts'
import { isOfPhone, type Reason } from '../vocabulary/rails.ts'
import { messageOf } from './callbacks.ts'
import { Faults, invalid, noneLeft, notFound, ServiceError } from './errors.ts'
import {
  stopWaiting,
  isLocked,
  isLeftToPayer,
  MOST_WRONG_PINS,
  phoneOf,
  untouched,
  unreachableReason,
} from './prompts.ts'
import { addJob, type Caller, isRealistic, type Look, type Tx } from './context.ts'
import { endAsDecided, endOf, failInstead, findTransaction, settlesAfter } from './transactions.ts'
import { networkOf } from './countries/networks.ts'
import { currencies, moneyText, readMoney, toMinor } from './money.ts'
import { type Phone, utcOffset } from './countries/countries.ts'
import { wireTime } from './wire-time.ts'
import type { PhoneRow } from '../../storage/store/rows.ts'
import { payOffline } from './collections.ts'

/** Whether a payment shows a prompt on the payer's phone. */
export const isPrompt = (row: TransactionRow): boolean =>
  row.direction === 'payin' && isOfPhone(row) && !row.is_offline

/**
 * @param id - any identifier of the payment
 * @throws {ServiceError} 404
 */
export function findPrompt(look: Look, caller: Caller, id: string): TransactionRow {
  const row = findTransaction(look, caller, id, 'prompt')
  if (!isPrompt(row)) throw notFound('prompt', id)
  return row
}

/**
 * Enters the PIN or cancels; the payment ends at once. The correct PIN leads to the decided outcome, anything else to
 * its own failure.
 * @throws {ServiceError} 400 with the result of the payment if the prompt is over
 */
export function respondToPrompt(
  tx: Tx,
  row: TransactionRow,
  { pin, cancel, ...rest }: RespondToPromptRequest,
): void {
  noneLeft(rest)
  if ((pin === undefined) === (cancel === undefined))
    throw invalid(`send either pin or cancel: true, got ${pin === undefined ? 'neither' : 'both'}`)
  if (cancel === false)
    throw invalid('cancel must be true, got false; to let the prompt expire, do not respond')
  if (row.status !== 'QUEUED')
    throw invalid(`prompt ${row.reference} has already ended: it ${describeEnd(row)}`)
  const answered = { ...row, responded_at: tx.now }
  tx.rows.put('transactions', answered)
  const unreached = unreachableReason(tx, row)
  const why = unreached ?? (pin === undefined ? 'cancelled' : typePin(tx, phoneOf(row), pin))
  if (why === null) endAsDecided(tx, answered)
  else failInstead(tx, answered, why)
}

/** Describes how a payment ended, to follow its name. */
export function describeEnd(row: TransactionRow): string {
  const { status, reason, settled_at } = row
  const at = wireTime(settled_at ?? 0)
  if (reason !== null) return `failed at ${at}: ${reason} (${messageOf(row)})`
  return status === 'SUCCESS' ? `was paid at ${at}` : `was ${status} at ${at}`
}

/** Fails prompts that no longer reach their phone after it changed. */
export function endUnreached(tx: Tx, number: string): void {
  for (const row of tx.rows.find('transactions', 'held', 'yes')) {
    const why = phoneOf(row) === number && isPrompt(row) ? unreachableReason(tx, row) : null
    if (why !== null) failInstead(tx, row, why)
  }
}

/** The reason for an unanswered prompt: real operators report that the payer could not be reached. */
export const unansweredReason = (look: Look, row: TransactionRow): Reason =>
  isRealistic(look) && isOfPhone(row) ? 'unreachable' : 'expired'

/**
 * Ends a payment whose payer did not act in time.
 * @returns the result, in a few words
 */
export function endUnanswered(tx: Tx, id: number): string {
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED') return 'done'
  // If the payment no longer waits for its payer, or its failure was decided, it ends as it would have automatically.
  if (!isLeftToPayer(tx, row) || endOf(row).status === 'FAILED') return endAsDecided(tx, row)
  failInstead(tx, row, unansweredReason(tx, row))
  return 'FAILED'
}

/** Payments released per change. */
const AT_ONCE = 100

/**
 * Lets payments that no longer wait for their payers settle automatically at their original times.
 * @returns whether more may remain
 */
export function releaseHeld(tx: Tx): boolean {
  const held = tx.rows.find('transactions', 'held', 'yes')
  const some = held.slice(0, AT_ONCE).filter((row) => !isLeftToPayer(tx, row))
  for (const row of some) release(tx, row)
  return some.length === AT_ONCE
}

function release(tx: Tx, row: TransactionRow): void {
  const { checkout_opened_at, plan } = row
  tx.rows.put('transactions', { ...row, payer_due_at: undefined })
  // A payer with an open page continues there.
  if (checkout_opened_at !== undefined) return
  stopWaiting(tx, row)
  if (plan?.settle?.after_status_queries !== undefined) return
  const due_at = row.created_at + settlesAfter(tx, row)
  addJob(tx, Math.max(0, due_at - tx.now), { kind: 'settle', transaction_id: row.id, ...endOf(row) })
}

/** Maximum number of phones per world that differ from the default. */
const MOST_PHONES = 1_000

export const phoneRow = ({ rows }: Look, number: string): PhoneRow =>
  rows.get('phones', number) ?? untouched(number)

/** Stores a phone, or deletes its row if it has its default state. */
function keep(tx: Tx, phone: PhoneRow): void {
  const { number } = phone
  const known = tx.rows.get('phones', number) !== undefined
  if (isDeepStrictEqual(phone, untouched(number))) {
    if (known) tx.rows.delete('phones', number)
    return
  }
  if (!known && tx.rows.all('phones').length >= MOST_PHONES)
    throw new ServiceError(
      'resource_exhausted',
      `a world stores at most ${MOST_PHONES} changed phones; POST /sandbox/reset discards them`,
    )
  tx.rows.put('phones', phone)
}

/**
 * Enters a PIN on a phone.
 * @returns why it is rejected; null if it is accepted
 */
export function typePin(tx: Tx, number: string, pin: string): Reason | null {
  const phone = phoneRow(tx, number)
  if (isLocked(phone)) return 'subscriber_locked'
  if (pin === phone.pin) {
    if (phone.wrong_pins > 0) keep(tx, { ...phone, wrong_pins: 0 })
    return null
  }
  const wrong = { ...phone, wrong_pins: phone.wrong_pins + 1 }
  keep(tx, wrong)
  return isLocked(wrong) ? 'subscriber_locked' : 'wrong_pin'
}

/** @throws {ServiceError} 400 for a balance that the currency cannot express */
export function changePhone(tx: Tx, { digits, country }: Phone, change: ChangePhoneRequest): void {
  const { on, registered, operator, pin, locked, balance, currency = country.currency, ...rest } = change
  noneLeft(rest)
  const faults = new Faults()
  if (change.currency !== undefined && balance === undefined)
    faults.add('currency', 'is only accepted together with balance')
  if (!currencies.includes(currency)) faults.refuseWord('currency', currency, currencies)
  const amount = readMoney(faults, 'balance', balance, currency)
  faults.throwAny()
  const phone = phoneRow(tx, digits)
  keep(tx, {
    ...phone,
    ...defined({ on, registered, operator, pin }),
    ...(locked !== undefined && { wrong_pins: locked ? MOST_WRONG_PINS : 0 }),
    ...(balance !== undefined && { balances: { ...phone.balances, [currency]: amount } }),
  })
}

/**
 * Pays from a phone's SIM menu to a paybill with an account, or to a till.
 * @throws {ServiceError} 400 if the phone cannot pay, or no collection matches the payment
 */
export function payFromPhone(tx: Tx, { digits }: Phone, body: PayFromPhoneRequest): TransactionRow {
  const { business_number, account_number = '', amount, ...rest } = body
  noneLeft(rest)
  const phone = phoneRow(tx, digits)
  const why = whyNoMenu(phone)
  if (why !== undefined) throw invalid(`phone ${digits} cannot pay: it ${why}`)
  // Offline collections exist only in Kenya.
  const [minor, holds] = [toMinor(amount, 'KES'), phone.balances['KES']]
  if (holds !== undefined && holds < minor)
    throw invalid(
      `amount ${moneyText(minor, 'KES')} is more than phone ${digits} holds, ${moneyText(holds, 'KES')}`,
    )
  return payOffline(tx, { paybill: business_number, account: account_number, amount }, digits)
}

function whyNoMenu(phone: PhoneRow): string | undefined {
  if (!phone.on) return 'is off'
  if (!phone.registered) return 'is not registered for mobile money'
  if (phone.operator !== 'works')
    return `has an operator that ${phone.operator === 'busy' ? 'is busy' : 'fails'}`
  return isLocked(phone) ? 'is locked; PATCH it with "locked": false' : undefined
}

/** SMS of operators, in wording that imitates theirs (assumed). */

export interface Message {
  readonly at: number
  readonly text: string
  readonly row: TransactionRow
}

/** Returns the messages of a phone, newest first; they are derived from its payments. */
export function messagesOf(
  look: Look,
  payments: readonly TransactionRow[],
  most: number,
): readonly Message[] {
  const messages: Message[] = []
  for (const row of payments) {
    if (row.settled_at === null) continue
    const { settled_at: at, status, reason, history = [] } = row
    for (const state of [{ at, status, reason }, ...history.toReversed()]) {
      const text = textOf(look, row, state)
      if (text !== undefined) messages.push({ at: state.at, text, row })
    }
  }
  return messages.sort((a, b) => b.at - a.at).slice(0, most)
}

function textOf(look: Look, row: TransactionRow, state: PastState): string | undefined {
  if (state.rejection_reason !== undefined) return undefined
  const { direction, provider_reference: receipt } = row
  const money = moneyText(row.amount, row.currency)
  const when = localTime(state.at, row.country)
  const business = businessOf(look, row)
  const signed = (word: string, text: string) =>
    networkOf(row)?.receipt === 'mpesa'
      ? `${receipt} ${word}. ${text} on ${when}.`
      : `${text} on ${when}. Transaction ID: ${receipt}.`
  if (state.status === 'SUCCESS')
    return direction === 'payin'
      ? signed('Confirmed', `${money} paid to ${business}${accountOf(row)}`)
      : signed('Confirmed', `You have received ${money} from ${business}`)
  if (state.status === 'REVERSED')
    return direction === 'payin'
      ? signed('Reversed', `${money} paid to ${business} was returned to you`)
      : signed('Reversed', `${money} received from ${business} was taken back`)
  return direction === 'payin' ? failed(state, `${money} to ${business}`) : undefined
}

function failed({ reason }: PastState, what: string): string | undefined {
  if (reason === 'insufficient_funds') return `Failed. You do not have enough money to pay ${what}.`
  if (reason === 'wrong_pin') return `Failed. The PIN was wrong; ${what} was not paid.`
  if (reason === 'subscriber_locked')
    return `Failed. Your PIN is locked after three wrong ones; ${what} was not paid.`
  return undefined
}

export const promptText = (look: Look, row: TransactionRow): string =>
  `Do you want to pay ${moneyText(row.amount, row.currency)} to ${businessOf(look, row)}${accountOf(row)}? Enter your PIN.`

export const businessOf = ({ rows }: Look, { account_id }: TransactionRow): string =>
  rows.get('teams', account_id)?.name ?? 'a deleted Team'

const accountOf = ({ external_reference: reference }: TransactionRow) =>
  reference === '' ? '' : `, account ${reference}`

/** Formats a time for the payer's country: `13/6/26 at 3:00 PM`. */
function localTime(at: number, country: string): string {
  const time = new Date(at + utcOffset(country))
  const hour = time.getUTCHours()
  const minute = String(time.getUTCMinutes()).padStart(2, '0')
  const date = `${time.getUTCDate()}/${time.getUTCMonth() + 1}/${String(time.getUTCFullYear()).slice(-2)}`
  return `${date} at ${hour % 12 || 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`
}
