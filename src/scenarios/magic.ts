import { countries } from '../domain/countries/countries.ts'

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

/** The three digits that a party's number ends in, when it is in one of the blocks. */
export function endingOf(party: unknown): string | undefined {
  if (typeof party !== 'string') return undefined
  const found = countries.some(
    ({ magic: { block } }) => party.length === block.length + 3 && party.startsWith(block),
  )
  return found ? party.slice(-3) : undefined
}
