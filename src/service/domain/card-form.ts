/** What a payer types of a card, and what is wrong with it. Messages never repeat it. */
import { brandOf, type Brand, cvcDigits } from './test-cards.ts'

/** The fields of the form, as they are typed. */
export interface TypedCard {
  readonly number: string
  readonly expiry: string
  readonly cvc: string
  readonly name?: string | undefined
}

export type CardField = keyof TypedCard

/** A card that can be charged. It lives no longer than the request that brings it. */
export interface Card {
  readonly number: string
  readonly brand: Brand
  readonly last4: string
}

/** What is wrong with the fields, each as words after its name: `is required`. */
export type CardFaults = { readonly [Field in CardField]?: string }

const LONGEST_NAME = 255

/**
 * Reads a card; its number may be written in groups, its expiry as `12/30`, `12/2030` or `1230`.
 * @param now the world's time, milliseconds
 */
export function readCard(
  typed: TypedCard,
  now: number,
): { readonly card: Card; readonly faults: CardFaults } {
  const number = typed.number.replace(/[\s-]/g, '')
  const faults: { [Field in CardField]?: string } = {}
  const tell = (field: CardField, fault: string | undefined) => {
    if (fault !== undefined) faults[field] = fault
  }
  tell('number', faultOfNumber(number))
  tell('expiry', faultOfExpiry(typed.expiry.trim(), now))
  tell('cvc', faultOfCvc(typed.cvc.trim(), faults.number === undefined ? number : undefined))
  tell(
    'name',
    (typed.name ?? '').length > LONGEST_NAME ? `must have at most ${LONGEST_NAME} characters` : undefined,
  )
  return { card: { number, brand: brandOf(number), last4: number.slice(-4) }, faults }
}

function faultOfNumber(number: string): string | undefined {
  if (number === '') return 'is required'
  if (!/^\d+$/.test(number)) return 'must be digits, in groups if you like'
  if (number.length < 12 || number.length > 19) return `must have 12 to 19 digits, and has ${number.length}`
  return isChecked(number) ? undefined : 'has a wrong check digit: one of its digits is mistyped'
}

/** Whether the last digit is the one that follows from those before (ISO/IEC 7812, Luhn). */
function isChecked(number: string): boolean {
  let sum = 0
  for (let at = 0; at < number.length; at++) {
    const digit = Number(number[number.length - 1 - at])
    const doubled = at % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function faultOfExpiry(text: string, now: number): string | undefined {
  if (text === '') return 'is required'
  const [, month, year] = /^(\d{1,2})\s*[/.-]?\s*(\d{4}|\d{2})$/.exec(text) ?? []
  if (month === undefined || Number(month) < 1 || Number(month) > 12)
    return 'must be a month and a year, such as 12/30'
  const full = year!.length === 2 ? 2000 + Number(year) : Number(year)
  // A card is good to the end of its month.
  if (Date.UTC(full, Number(month)) > now) return undefined
  const today = new Date(now)
  const first = String(today.getUTCMonth() + 1).padStart(2, '0')
  return `is in the past: it must be ${first}/${String(today.getUTCFullYear()).slice(-2)} or later`
}

/** @param number of the card; undefined while it cannot be read, and nobody knows how many digits there are */
function faultOfCvc(cvc: string, number: string | undefined): string | undefined {
  if (cvc === '') return 'is required'
  if (number === undefined) return /^\d{3,4}$/.test(cvc) ? undefined : 'must be 3 or 4 digits'
  const digits = cvcDigits(number)
  return /^\d+$/.test(cvc) && cvc.length === digits ? undefined : `must be ${digits} digits`
}
