import type { Random } from '../random.ts'

const MONTHS = 'ABCDEFGHIJKL'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** `A` would be 2006: `S` 2024, `T` 2025, `U` 2026. */
const YEAR_OF_A = 2006
const RECEIPTS = 36 ** 7

const DAY = 86_400_000
/** The day that was last asked for, kept for speed: a Date a reference costs more than the rest of it. */
let lastDay = Number.NaN
let lastStamp = ''

/** Year, month and day in three characters, e.g. `UFD` for 2026-06-13 (open-points, "Callbacks": receipts). */
function dayStamp(at: number): string {
  const day = Math.floor(at / DAY)
  if (day !== lastDay) {
    lastStamp = stampOf(at)
    lastDay = day
  }
  return lastStamp
}

function stampOf(at: number): string {
  const date = new Date(at)
  const years = date.getUTCFullYear() - YEAR_OF_A
  const year = ALPHABET[10 + (((years % 26) + 26) % 26)]
  return `${year}${MONTHS[date.getUTCMonth()]}${ALPHABET[date.getUTCDate()]}`
}

const NUMBERS = 1_000_000_000
const REFERENCE = /^[A-Z][A-L][1-9A-V](\d{9})\.(?:iI|eO)$/

/** The service's reference of its n-th transaction, e.g. `UFD003217286.iI`; `.iI` is money in, `.eO` money out. */
export function makeReference(random: Random, n: number, at: number, direction: 'payin' | 'payout'): string {
  const number = random.shuffled('reference', n, NUMBERS)
  return `${dayStamp(at)}${String(number).padStart(9, '0')}.${direction === 'payin' ? 'iI' : 'eO'}`
}

/** Which transaction a reference of the service would be; undefined for a text that is none. */
export function numberOfReference(random: Random, reference: string): number | undefined {
  const digits = REFERENCE.exec(reference)?.[1]
  return digits === undefined ? undefined : random.unshuffled('reference', Number(digits), NUMBERS)
}

/** The operator's receipt of the n-th transaction: ten upper-case letters and digits, e.g. `UFU51A2XO2`. */
export function makeReceipt(random: Random, n: number, at: number): string {
  const number = random.shuffled('receipt', n, RECEIPTS)
  return `${dayStamp(at)}${number.toString(36).toUpperCase().padStart(7, '0')}`
}
