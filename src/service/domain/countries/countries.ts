import { Faults } from '../errors.ts'
import { bw } from './bw.ts'
import type { Rail } from '../../vocabulary/rails.ts'
import type { Country, Network } from './country.ts'
import { gh } from './gh.ts'
import { ke } from './ke.ts'
import { ng } from './ng.ts'
import { rw } from './rw.ts'
import { tz } from './tz.ts'
import { ug } from './ug.ts'
import { zm } from './zm.ts'

/** All countries served, in the order of lists and messages. A new one is a file beside this one, and its row here. */
export const countries: readonly Country[] = [ke, tz, zm, bw, ng, ug, gh, rw]

const byCode = new Map(countries.map((each) => [each.code, each]))

/** ISO codes of the countries served. */
export const servedCountries = [...byCode.keys()]

/** A served country by its code, whatever the case, or undefined. */
export const countryByCode = (code: string) => byCode.get(code.toUpperCase())

/** How far a country's clocks are before UTC, milliseconds; 0 for one that is not served. */
export const utcOffset = (code: string): number => (byCode.get(code)?.utc_offset_hours ?? 0) * 3_600_000

/** A served country by its code; undefined when it is at fault. */
export function readCountry(faults: Faults, field: string, code: string | undefined): Country | undefined {
  if (code === undefined) return undefined
  const found = countryByCode(code)
  if (found) return found
  const named = countries.find(({ name }) => name.toLowerCase() === code.toLowerCase())
  if (named) faults.refuse(field, code, `must be its code ${named.code}`)
  else faults.refuseWord(field, code, servedCountries)
  return undefined
}

/** The same. @throws ServiceError 400 listing the countries served */
export function requireCountry(code: string): Country {
  const faults = new Faults()
  const country = readCountry(faults, 'country', code)
  faults.throwAny()
  return country!
}

/** Every network of a country, or those of one rail. */
export const networksOf = (country: Country, rail?: Rail): readonly Network[] =>
  Object.values(country.networks)
    .flat()
    .filter((network) => !rail || network.account_type === rail)
