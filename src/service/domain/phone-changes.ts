/** What is done to a phone, and with it, beside answering prompts. */
import type { UpdatePhoneBody, PayFromPhoneBody } from '../../generated/control/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { PhoneRow } from '../../storage/store/rows.ts'
import type { Reason } from '../vocabulary/reasons.ts'
import type { Look, Tx } from './context.ts'
import { invalid, ServiceError, Faults, noneLeft } from './errors.ts'
import { isLocked, MOST_WRONG_PINS, untouched } from './payer.ts'
import { currencies, moneyText, readMoney, toMinor } from './money.ts'
import { payOffline } from './offline.ts'
import type { Phone } from './phones.ts'

/** How many phones of a world may be other than they begin. */
const MOST_PHONES = 1_000

export const phoneRow = ({ rows }: Look, number: string): PhoneRow =>
  rows.get('phones', number) ?? untouched(number)

/** Keeps a phone as it is now; one that is again as phones begin costs nothing. */
function keep(tx: Tx, phone: PhoneRow): void {
  const { number } = phone
  const known = tx.rows.get('phones', number) !== undefined
  if (isUntouched(phone)) {
    if (known) tx.rows.delete('phones', number)
    return
  }
  if (!known && tx.rows.all('phones').length >= MOST_PHONES)
    throw new ServiceError(
      'resource_exhausted',
      `a world remembers at most ${MOST_PHONES} phones that were changed; POST /sandbox/reset forgets them`,
    )
  tx.rows.put('phones', phone)
}

function isUntouched(phone: PhoneRow): boolean {
  const first = untouched(phone.number)
  const { on, registered, operator, pin, wrong_pins, balances } = phone
  return (
    on === first.on &&
    registered === first.registered &&
    operator === first.operator &&
    pin === first.pin &&
    wrong_pins === 0 &&
    Object.keys(balances).length === 0
  )
}

/** A PIN is typed on a phone. @returns why it is not taken; null when it is */
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

/** Changes a phone; what is left out stays. @throws ServiceError 400 for a balance that the currency cannot express */
export function changePhone(tx: Tx, { digits, country }: Phone, change: UpdatePhoneBody): void {
  const { on, registered, operator, pin, locked, balance, currency = country.currency, ...rest } = change
  noneLeft(rest)
  const faults = new Faults()
  if (change.currency !== undefined && balance === undefined) faults.add('currency', 'is only for balance')
  if (!currencies.includes(currency)) faults.refuseWord('currency', currency, currencies)
  const amount = readMoney(faults, 'balance', balance, currency)
  faults.throwAny()
  const phone = phoneRow(tx, digits)
  keep(tx, {
    ...phone,
    ...(on !== undefined && { on }),
    ...(registered !== undefined && { registered }),
    ...(operator !== undefined && { operator }),
    ...(pin !== undefined && { pin }),
    ...(locked !== undefined && { wrong_pins: locked ? MOST_WRONG_PINS : 0 }),
    ...(balance !== undefined && { balances: { ...phone.balances, [currency]: amount } }),
  })
}

/**
 * Pays from the SIM menu of a phone: a paybill with an account, or a till.
 * @throws ServiceError 400 when the phone cannot pay, or the business takes no such payment
 */
export function payFromPhone(tx: Tx, { digits }: Phone, body: PayFromPhoneBody): TransactionRow {
  const { business_number, account_number = '', amount, ...rest } = body
  noneLeft(rest)
  const phone = phoneRow(tx, digits)
  const why = whyNoMenu(phone)
  if (why !== undefined) throw invalid(`phone ${digits} cannot pay: it ${why}`)
  // Offline collections are Kenya's alone.
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
