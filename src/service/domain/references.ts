/** References of the service, and receipts in the forms of the operators, banks and card schemes that issue them. */
import { createRandom, type Random } from '../../lib/random/random.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { inPattern } from '../vocabulary/observed.ts'
import type { Source } from '../vocabulary/rails.ts'
import type { Look } from './context.ts'
import { utcOffset } from './countries/countries.ts'
import type { ReceiptForm } from './countries/country.ts'
import { networkOf } from './countries/networks.ts'
import { exactTime } from './wire-time.ts'

const MONTHS = 'ABCDEFGHIJKL'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** `S` is 2024, `T` 2025, `U` 2026. */
const YEAR_OF_A = 2006

const DAY = 86_400_000

/** Caches the last day's stamp: creating a Date costs more than the rest of a reference. */
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

/** Returns year, month and day in three characters: `UFD` for 2026-06-13 (open-points, "Callbacks": receipts). */
function threeLetters(date: Date): string {
  const years = date.getUTCFullYear() - YEAR_OF_A
  const year = ALPHABET[10 + (((years % 26) + 26) % 26)]
  return `${year}${MONTHS[date.getUTCMonth()]}${ALPHABET[date.getUTCDate()]}`
}

/** Returns year and day of the year in five digits: `26164` for 2026-06-13. */
function fiveDigits(date: Date): string {
  const year = date.getUTCFullYear()
  const day = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / DAY) + 1
  return `${String(((year % 100) + 100) % 100).padStart(2, '0')}${String(day).padStart(3, '0')}`
}

// Separate caches, because the service uses UTC and countries differ around midnight.
const serviceDay = dayStamps(threeLetters)
const operatorDay = dayStamps(threeLetters)
const bankDay = dayStamps(fiveDigits)

const NUMBERS = 1_000_000_000
const REFERENCE = /^[A-Z][A-L][1-9A-V](\d{9})\.(?:iI|eO)$/

/**
 * Returns the service's reference of the n-th transaction, such as `UFD003217286.iI`; `.iI` is money in, `.eO` money
 * out.
 * @param form - the observed form, such as `PAY-########` or `uuid`
 */
export function makeReference(
  random: Random,
  n: number,
  at: number,
  direction: 'payin' | 'payout',
  form?: string,
): string {
  const number = random.shuffled('reference', n, NUMBERS)
  if (form !== undefined) {
    const width = form.split('#').length - 1
    const digits = String(width > 0 && width < 9 ? n : number).padStart(width, '0')
    let at = 0
    return inPattern(
      form.replace(/#/g, () => digits[at++]!),
      digits,
    )
  }
  return `${serviceDay(at)}${String(number).padStart(9, '0')}.${direction === 'payin' ? 'iI' : 'eO'}`
}

/** Returns the number of the transaction in a reference; undefined if it is not a reference. */
export function numberOfReference(random: Random, reference: string): number | undefined {
  const digits = REFERENCE.exec(reference)?.[1]
  return digits === undefined ? undefined : random.unshuffled('reference', Number(digits), NUMBERS)
}

/**
 * Returns the older names of the n-th collection: a UUID and the operator's, such as `ws_CO_30062026034453708374149`.
 */
export function makeOlderNames(random: Random, n: number, at: number) {
  const local = new Date(at + utcOffset('KE')).toISOString()
  const [year, month, day, ...time] = local.split(/\D/)
  const number = random.shuffled('older checkout', n, NUMBERS)
  return {
    reference: random.uuid('older reference', n),
    checkout_request_id: `ws_CO_${day}${month}${year}${time.slice(0, 3).join('')}${String(number).padStart(9, '0')}`,
  }
}

interface Form {
  readonly source: Source
  /** Number of different receipts on one day. */
  readonly size: number
  /** Its group contains the number of the transaction. */
  readonly pattern: RegExp
  /** @param at - local time */
  readonly write: (number: number, at: number, direction: 'payin' | 'payout', bank_code: string) => string
  readonly read?: (text: string) => number
}

const digits = (number: number, width: number) => String(number).padStart(width, '0')
const capitals = (number: number, width: number) => number.toString(36).toUpperCase().padStart(width, '0')
/** Returns the first digits of `260613152959`. */
const stamp = (at: number, length: number) =>
  exactTime(at)
    .replace(/\D/g, '')
    .slice(2, 2 + length)
/** Returns four digits that grow by one a day, as in the numbers of an operator that counts all its payments. */
const dayNumber = (at: number) => digits((((Math.floor(at / DAY) - 14_600) % 10_000) + 10_000) % 10_000, 4)

/** Returns the part of the day: receipts of operators that count their payments grow from morning to evening. */
const partOfDay = (at: number, parts: number) => Math.floor((((at % DAY) + DAY) % DAY) / (DAY / parts))

const counted = (width: number): Form => ({
  source: 'assumed',
  size: 10 ** (width - 5),
  pattern: new RegExp(`^\\d{5}(\\d{${width - 5}})$`),
  write: (number, at) => dayNumber(at) + partOfDay(at, 10) + digits(number, width - 5),
})

/** All forms of receipts, with the numbers they contain. The day is that of the country. */
export const receiptForms: { readonly [F in ReceiptForm]: Form } = {
  // Year, month and day, then seven letters and digits (open-points, "Callbacks") that grow within the day (assumed).
  mpesa: {
    source: 'observed',
    size: 36 ** 5,
    pattern: /^[A-Z][A-L][1-9A-V][\dA-Z]{2}([\dA-Z]{5})$/,
    write: (number, at) => operatorDay(at) + capitals(partOfDay(at, 36 ** 2), 2) + capitals(number, 5),
    read: (text) => Number.parseInt(text, 36),
  },
  // MTN's public API documents a number without a length.
  digits11: counted(11),
  digits10: counted(10),
  // Public examples of Airtel's and Orange's APIs, such as `MP210603.1234.L06941`; the beginning of payouts is assumed.
  dotted: {
    source: 'observed',
    size: 26e5,
    pattern: /^(?:MP|CI)\d{6}\.\d{4}\.([A-Z]\d{5})$/,
    write: (number, at, direction) => {
      const time = stamp(at, 10)
      const letter = ALPHABET[10 + Math.floor(number / 1e5)]
      return `${direction === 'payin' ? 'MP' : 'CI'}${time.slice(0, 6)}.${time.slice(6)}.${letter}${digits(number % 1e5, 5)}`
    },
    read: (text) => (ALPHABET.indexOf(text[0]!) - 10) * 1e5 + Number(text.slice(1)),
  },
  // Public examples of OPay's API.
  opay: {
    source: 'observed',
    size: 1e9,
    pattern: /^\d{6}140(\d{9})$/,
    write: (number, at) => `${stamp(at, 6)}140${digits(number, 9)}`,
  },
  digits22: {
    source: 'assumed',
    size: 1e10,
    pattern: /^\d{12}(\d{10})$/,
    write: (number, at) => stamp(at, 12) + digits(number, 10),
  },
  bank: {
    source: 'assumed',
    size: 36 ** 5,
    pattern: /^FT\d{5}([\dA-Z]{5})$/,
    write: (number, at) => `FT${bankDay(at)}${capitals(number, 5)}`,
    read: (text) => Number.parseInt(text, 36),
  },
  // Transaction ids of Finacle, a core-banking system.
  finacle: {
    source: 'assumed',
    size: 1e8,
    pattern: /^S(\d{8})$/,
    write: (number) => `S${digits(number, 8)}`,
  },
  // References of Flexcube, another one: branch, product, day, and a sequence.
  flexcube: {
    source: 'assumed',
    size: 36 ** 4,
    pattern: /^001FTRQ\d{5}([\dA-Z]{4})$/,
    write: (number, at) => `001FTRQ${bankDay(at)}${capitals(number, 4)}`,
    read: (text) => Number.parseInt(text, 36),
  },
  // The session id of NIBSS Instant Payments: the bank, the time, and twelve digits.
  nip: {
    source: 'observed',
    size: 1e12,
    pattern: /^000\d{15}(\d{12})$/,
    write: (number, at, _direction, bank) => `000${bank}${stamp(at, 12)}${digits(number, 12)}`,
  },
  // ISO 8583, field 37: the year's last digit, the day of the year, the hour, and six digits.
  card: {
    source: 'observed',
    size: 1e6,
    pattern: /^\d{6}(\d{6})$/,
    write: (number, at) => bankDay(at).slice(1) + stamp(at, 8).slice(6) + digits(number, 6),
  },
}

type Receipted = Pick<TransactionRow, 'id' | 'rail' | 'country' | 'party' | 'direction' | 'network'>

/** Returns the receipt of a transaction, dated in its country, in the form of its network. */
export function receiptOf(random: Random, row: Receipted, at: number): string {
  const facts = networkOf(row)
  const name = facts?.receipt ?? (row.rail === 'momo' ? 'mpesa' : 'bank')
  const { size, write } = receiptForms[name]
  const number = random.shuffled(name, row.id, size)
  return write(number, at + utcOffset(row.country), row.direction, facts?.bank_code ?? '013')
}

/** Numbers of transactions with which a receipt may agree; receipts of some forms repeat after a million. */
const MOST_READ = 100

/** The state row with the seed of a generated history, whose receipts were not drawn from the world's own seed. */
export const HISTORY_SEED = 'history-seed'

export const historyRandom = (seed: number, secret = ''): Random =>
  createRandom(`populate\0${seed}`, `populate\0${secret}\0${seed}`)

/**
 * Returns the transaction with a receipt. The receipt contains its number, so nothing is searched; receipts of another
 * world, before an import, are not found.
 */
export function receipted({ rows, random }: Look, receipt: string): TransactionRow | undefined {
  const last = rows.get('counters', 'transaction')?.value ?? 0
  const found = (drawn: Random) =>
    numbersOf(drawn, receipt, last)
      .map((n) => rows.get('transactions', n))
      .find((row) => row?.provider_reference === receipt)
  const seed = rows.get('state', HISTORY_SEED)?.value
  return found(random) ?? (typeof seed === 'number' ? found(historyRandom(seed)) : undefined)
}

/** Returns the numbers of transactions that may have a receipt. */
export function numbersOf(random: Random, receipt: string, last = Infinity): readonly number[] {
  const numbers: number[] = []
  for (const [name, { size, pattern, read = Number }] of Object.entries(receiptForms)) {
    const text = pattern.exec(receipt)?.[1]
    if (text === undefined) continue
    const first = random.unshuffled(name, read(text), size)
    for (let n = first, left = MOST_READ; n <= last && left > 0; n += size, left -= 1) numbers.push(n)
  }
  return numbers
}
