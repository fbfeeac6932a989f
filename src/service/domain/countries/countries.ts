import { type Faults, faultless, invalid } from '../errors.ts'
import { bw } from './bw.ts'
import { type Country, KEPT_ACCOUNTS, KEPT_SHORT_CODES, keptEnding } from './country.ts'
import { gh } from './gh.ts'
import { ke } from './ke.ts'
import { ng } from './ng.ts'
import { rw } from './rw.ts'
import { tz } from './tz.ts'
import { ug } from './ug.ts'
import { zm } from './zm.ts'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { shown } from '../../../lib/text/shown.ts'

/** All countries served, in the order of lists and messages. To add one, add its file and its row here. */
export const countries: readonly Country[] = [ke, tz, zm, bw, ng, ug, gh, rw]

const byCode = new Map<string, Country>(countries.map((each) => [each.code, each]))

export const servedCountries: readonly string[] = [...byCode.keys()]

export const countryByCode = (code: string) => byCode.get(code.toUpperCase())

/** Returns a country's offset from UTC in milliseconds; 0 if it is not served. */
export const utcOffset = (code: string): number => (byCode.get(code)?.utc_offset_hours ?? 0) * 3_600_000

export function readCountry(faults: Faults, field: string, code: string | undefined): Country | undefined {
  if (code === undefined) return undefined
  const found = countryByCode(code)
  if (found) return found
  const named = countries.find(({ name }) => name.toLowerCase() === code.toLowerCase())
  if (named) faults.refuse(field, code, `must be its code ${named.code}`)
  else faults.refuseWord(field, code, servedCountries)
  return undefined
}

export const requireCountry = (code: string): Country =>
  faultless((faults) => readCountry(faults, 'country', code))!

/** A Team's phone number: digits with the dial code. */
export interface Phone {
  readonly digits: string
  readonly country: Country
}

/**
 * Reads a Team's phone from its two fields, with optional plus signs, spaces and trunk zero; undefined if it is invalid
 * or its country is not served.
 */
export function readTeamPhone(faults: Faults, dial_code: string, number: string): Phone | undefined {
  const dial = dial_code.replace(/[\s()-]/g, '')
  if (!/^\+?[1-9]\d{0,3}$/.test(dial)) {
    faults.refuse('dial_code', dial_code, 'must be a country dial code, such as 254 or +254')
    return undefined
  }
  const parsed = parsePhoneNumberFromString(`+${dial.replace('+', '')}${number.replace(/^[\s-]*0/, '')}`)
  if (!parsed?.isValid() || !parsed.country) {
    faults.refuse('number', number, `must be a valid phone number for dial_code ${dial_code}`)
    return undefined
  }
  const country = countryByCode(parsed.country)
  if (country) return { digits: parsed.number.slice(1), country }
  const served = servedCountries.join(', ')
  faults.add(
    'dial_code',
    `must be the dial code of one of ${served}, got ${shown(dial_code)}, which belongs to ${parsed.country}`,
  )
  return undefined
}

const KENYAN_MOBILE = /^(?:\+?254|0)([17]\d{8})$/

/**
 * Returns a Kenyan mobile number as digits with the dial code; empty if it is invalid. Spaces and hyphens are not accepted (open-points, "Legacy
 * payments").
 */
export function readKenyanMobile(faults: Faults, field: string, text: string | undefined): string {
  if (text === undefined) return ''
  const match = KENYAN_MOBILE.exec(text)
  if (match) return `254${match[1]}`
  faults.refuse(
    field,
    text,
    'must be a Kenyan mobile number (07XXXXXXXX, 01XXXXXXXX, 2547XXXXXXXX or +2547XXXXXXXX)',
  )
  return ''
}

/** Returns a local or international mobile-money number as digits with the dial code; empty if it is invalid. */
export function readMobile(
  faults: Faults,
  field: string,
  text: string | undefined,
  country: Country,
): string {
  if (text === undefined) return ''
  if (country.code === 'KE') return readKenyanMobile(faults, field, text)
  const parsed = parsePhoneNumberFromString(text, country.code as 'TZ')
  if (parsed?.isValid() && parsed.country === country.code) return parsed.number.slice(1)
  faults.refuse(field, text, `must be a phone number of ${country.name}, such as +${country.dial_code}…`)
  return ''
}

/**
 * Reads a mobile number from a path: with the dial code, or in Kenya's local form.
 * @throws {ServiceError} 400 with the accepted forms
 */
export function readNumber(field: string, text: string): Phone {
  const bare = text.replace(/[\s-]/g, '')
  const kenyan = KENYAN_MOBILE.exec(bare)
  if (kenyan) return { digits: `254${kenyan[1]}`, country: countryByCode('KE')! }
  const parsed = /^\+?[1-9]\d{6,14}$/.test(bare)
    ? parsePhoneNumberFromString(`+${bare.replace('+', '')}`)
    : undefined
  const country = countryByCode(parsed?.country ?? '')
  if (parsed?.isValid() && country && country.code !== 'KE')
    return { digits: parsed.number.slice(1), country }
  const served = servedCountries.join(', ')
  throw invalid(
    `${field} must be a mobile number of ${served} with its dial code, such as 254712345678, or a local Kenyan number, such as 0712345678, got ${shown(text)}`,
  )
}

/** Returns digits with the dial code for a number of the country, otherwise the text without spaces and plus sign. */
export function normalizedMobile(text: string, country: Country | undefined): string {
  const bare = text.replace(/[\s-]/g, '').replace(/^\+/, '')
  if (!country || (bare.startsWith(country.dial_code) && !text.startsWith('0'))) return bare
  if (country.code === 'KE') return bare.replace(/^0(?=[17]\d{8}$)/, '254')
  const parsed = parsePhoneNumberFromString(text, country.code as 'TZ')
  return parsed?.isValid() ? parsed.number.slice(1) : bare
}

/** Returns the local form with the trunk zero, such as `0712345678`, of a Kenyan number. */
export const localKenyan = (digits: string) => digits.replace(/^254/, '0')

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

/** Whether digits are a reserved number, which is on every network. */
export const isKeptForScenarios = ({ test_numbers: { block } }: Country, digits: string): boolean =>
  digits.startsWith(block) && digits.length === block.length + 3

/** Returns the last three digits of a reserved number, account or short code. */
export function endingOf(party: unknown): string | undefined {
  if (typeof party !== 'string') return undefined
  return countries.some((country) => isKeptForScenarios(country, party)) ? party.slice(-3) : keptEnding(party)
}
