import { countries } from '../service/domain/countries/countries.ts'
import { KEPT_ACCOUNTS, KEPT_SHORT_CODES, keptEnding } from '../service/domain/countries/country.ts'

/**
 * Magic numbers: a block of a thousand mobile numbers in each country is kept for scenarios, and the last three
 * digits say which one is meant, the same in every country. No ordinary number is in a block.
 */
export interface MagicNumber {
  readonly country: string
  /** Digits with the dial code, without a plus sign. */
  readonly number: string
  /** As it is dialled in the country. */
  readonly local: string
}

/** The number with this ending in every country. */
export const magicNumbers = (ending: string): readonly MagicNumber[] =>
  countries.map(({ code, magic: { block, local } }) => ({
    country: code,
    number: block + ending,
    local: local + ending,
  }))

/** The bank account with this ending, the same in every country and bank. */
export const magicAccount = (ending: string) => KEPT_ACCOUNTS + ending

/** The paybill or till with this ending. */
export const magicShortCode = (ending: string) => KEPT_SHORT_CODES + ending

/** The three digits that a party's number ends in, when it is in one of the blocks, or one of the accounts or short codes. */
export function endingOf(party: unknown): string | undefined {
  if (typeof party !== 'string') return undefined
  const found = countries.some(
    ({ magic: { block } }) => party.length === block.length + 3 && party.startsWith(block),
  )
  return found ? party.slice(-3) : keptEnding(party)
}
