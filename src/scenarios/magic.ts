/**
 * Magic numbers: a block of a thousand mobile numbers in each country is kept for scenarios, and the last three
 * digits say which one is meant, the same in every country. No ordinary number is in a block.
 */
const blocks: { readonly [country: string]: { readonly block: string; readonly local: string } } = {
  KE: { block: '254700000', local: '0700000' },
  TZ: { block: '255740000', local: '0740000' },
  ZM: { block: '260950000', local: '0950000' },
  BW: { block: '26771000', local: '71000' },
  NG: { block: '2348030000', local: '08030000' },
  UG: { block: '256770000', local: '0770000' },
  GH: { block: '233240000', local: '0240000' },
  RW: { block: '250780000', local: '0780000' },
}

export const magicCountries: readonly string[] = Object.keys(blocks)

export interface MagicNumber {
  readonly country: string
  /** Digits with the dial code, without a plus sign. */
  readonly number: string
  /** As it is dialled in the country. */
  readonly local: string
}

/** The number with this ending in every country. */
export const magicNumbers = (ending: string): readonly MagicNumber[] =>
  Object.entries(blocks).map(([country, { block, local }]) => ({
    country,
    number: block + ending,
    local: local + ending,
  }))

/** The three digits that a party's number ends in, when it is in one of the blocks. */
export function endingOf(party: unknown): string | undefined {
  if (typeof party !== 'string') return undefined
  const found = Object.values(blocks).some(
    ({ block }) => party.length === block.length + 3 && party.startsWith(block),
  )
  return found ? party.slice(-3) : undefined
}
