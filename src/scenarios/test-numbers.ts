import { countries } from '../service/domain/countries/countries.ts'
import { KEPT_ACCOUNTS, KEPT_SHORT_CODES, keptEnding } from '../service/domain/countries/country.ts'

/**
 * A test number: each country reserves a block of a thousand mobile numbers, whose last three digits select
 * a scenario, the same one in every country.
 */
export interface TestNumber {
  readonly country: string
  /** Digits with the dial code but without a plus sign. */
  readonly number: string
  /** The number as dialled within the country. */
  readonly local: string
}

export const testNumbers = (ending: string): readonly TestNumber[] =>
  countries.map(({ code, test_numbers: { block, local } }) => ({
    country: code,
    number: block + ending,
    local: local + ending,
  }))

/** Returns the bank account with this ending, which is the same in every country and bank. */
export const testAccount = (ending: string) => KEPT_ACCOUNTS + ending

/** Returns the paybill or till with this ending. */
export const testShortCode = (ending: string) => KEPT_SHORT_CODES + ending

/** Returns the last three digits of a reserved number, account or short code. */
export function endingOf(party: unknown): string | undefined {
  if (typeof party !== 'string') return undefined
  const found = countries.some(
    ({ test_numbers: { block } }) => party.length === block.length + 3 && party.startsWith(block),
  )
  return found ? party.slice(-3) : keptEnding(party)
}
