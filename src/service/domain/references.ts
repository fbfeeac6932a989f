import type { Random } from '../../lib/random/random.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { rails } from '../vocabulary/rails.ts'
import { utcOffset } from './countries/countries.ts'
import type { Look } from './context.ts'

const MONTHS = 'ABCDEFGHIJKL'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** `A` would be 2006: `S` 2024, `T` 2025, `U` 2026. */
const YEAR_OF_A = 2006
const RECEIPTS = 36 ** 7
const BANK_RECEIPTS = 36 ** 5

const DAY = 86_400_000

/** Makes the day of a time as `stampOf` has it, and keeps the last one for speed: a Date a reference costs more than the rest of it. */
function dayStamps(stampOf: (date: Date) => string): (at: number) => string {
  let lastDay = Number.NaN
  let lastStamp = ''
  return (at) => {
    const day = Math.floor(at / DAY)
    if (day !== lastDay) {
      lastStamp = stampOf(new Date(at))
      lastDay = day
    }
    return lastStamp
  }
}

/** Year, month and day in three characters, e.g. `UFD` for 2026-06-13 (open-points, "Callbacks": receipts). */
function threeLetters(date: Date): string {
  const years = date.getUTCFullYear() - YEAR_OF_A
  const year = ALPHABET[10 + (((years % 26) + 26) % 26)]
  return `${year}${MONTHS[date.getUTCMonth()]}${ALPHABET[date.getUTCDate()]}`
}

/** Year and day of the year in five digits, e.g. `26164` for 2026-06-13. */
function fiveDigits(date: Date): string {
  const year = date.getUTCFullYear()
  const day = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / DAY) + 1
  return `${String(((year % 100) + 100) % 100).padStart(2, '0')}${String(day).padStart(3, '0')}`
}

// Each with a day of its own: the service's is UTC's, and around midnight others have another.
const serviceDay = dayStamps(threeLetters)
const operatorDay = dayStamps(threeLetters)
const bankDay = dayStamps(fiveDigits)

const NUMBERS = 1_000_000_000
const REFERENCE = /^[A-Z][A-L][1-9A-V](\d{9})\.(?:iI|eO)$/

/** The service's reference of its n-th transaction, e.g. `UFD003217286.iI`; `.iI` is money in, `.eO` money out. */
export function makeReference(random: Random, n: number, at: number, direction: 'payin' | 'payout'): string {
  const number = random.shuffled('reference', n, NUMBERS)
  return `${serviceDay(at)}${String(number).padStart(9, '0')}.${direction === 'payin' ? 'iI' : 'eO'}`
}

/** Which transaction a reference of the service would be; undefined for a text that is none. */
export function numberOfReference(random: Random, reference: string): number | undefined {
  const digits = REFERENCE.exec(reference)?.[1]
  return digits === undefined ? undefined : random.unshuffled('reference', Number(digits), NUMBERS)
}

/** The names of the n-th collection in the older form: a UUID, and the operator's, e.g. `ws_CO_30062026034453708374149`. */
export function makeOlderNames(random: Random, n: number, at: number) {
  const local = new Date(at + utcOffset('KE')).toISOString()
  const [year, month, day, ...time] = local.split(/\D/)
  const number = random.shuffled('older checkout', n, NUMBERS)
  return {
    reference: random.uuid('older reference', n),
    checkout_request_id: `ws_CO_${day}${month}${year}${time.slice(0, 3).join('')}${String(number).padStart(9, '0')}`,
  }
}

/** The operator's receipt of the n-th transaction: ten upper-case letters and digits, e.g. `UFU51A2XO2`. @param at local time */
export function makeReceipt(random: Random, n: number, at: number): string {
  const number = random.shuffled('receipt', n, RECEIPTS)
  return `${operatorDay(at)}${number.toString(36).toUpperCase().padStart(7, '0')}`
}

/** The bank's or card scheme's reference, which looks like no operator's receipt: e.g. `FT26164AB12C` (assumed). */
function bankReceipt(random: Random, n: number, at: number): string {
  const number = random.shuffled('bank receipt', n, BANK_RECEIPTS)
  return `FT${bankDay(at)}${number.toString(36).toUpperCase().padStart(5, '0')}`
}

const RECEIPT = /^[A-Z][A-L][1-9A-V]([\dA-Z]{7})$/
const BANK_RECEIPT = /^FT\d{5}([\dA-Z]{5})$/

/** Which transaction a receipt of an operator or a bank would be of; undefined for a text that is none. */
export function numberOfReceipt(random: Random, receipt: string): number | undefined {
  const ofOperator = RECEIPT.exec(receipt)?.[1]
  if (ofOperator !== undefined) return random.unshuffled('receipt', Number.parseInt(ofOperator, 36), RECEIPTS)
  const ofBank = BANK_RECEIPT.exec(receipt)?.[1]
  return ofBank === undefined
    ? undefined
    : random.unshuffled('bank receipt', Number.parseInt(ofBank, 36), BANK_RECEIPTS)
}

/** Whoever moved the money gives it a receipt, which has the day of the transaction's country. */
export function receiptOf(
  random: Random,
  { id, rail, country }: Pick<TransactionRow, 'id' | 'rail' | 'country'>,
  at: number,
): string {
  const local = at + utcOffset(country)
  return rails[rail].receipts === 'operator' ? makeReceipt(random, id, local) : bankReceipt(random, id, local)
}

/**
 * The transaction that has a receipt. Receipts are numbered as transactions are, so that nobody has to search; one that another
 * world gave, before an import, is not found so.
 */
export function receipted({ rows, random }: Look, receipt: string): TransactionRow | undefined {
  const number = numberOfReceipt(random, receipt)
  const row = number === undefined ? undefined : rows.get('transactions', number)
  return row?.provider_reference === receipt ? row : undefined
}
