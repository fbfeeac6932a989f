import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { requireCountry, servedCountries } from './countries/countries.ts'
import type { Country } from './countries/country.ts'
import { invalid } from './errors.ts'

/** A Team's phone: digits with the dial code, and the served country it belongs to. */
export interface Phone {
  readonly digits: string
  readonly country: Country
}

/**
 * Reads a Team's phone from its two fields; both may carry a plus sign, spaces and the trunk zero.
 * @throws ServiceError when it is no valid number or its country is not served
 */
export function readTeamPhone(dial_code: string, number: string): Phone {
  const dial = dial_code.replace(/[\s()-]/g, '')
  if (!/^\+?[1-9]\d{0,3}$/.test(dial))
    throw invalid(`dial_code "${dial_code}" must be a country dial code such as 254 or +254`)
  const parsed = parsePhoneNumberFromString(`+${dial.replace('+', '')}${number.replace(/^[\s-]*0/, '')}`)
  if (!parsed?.isValid() || !parsed.country)
    throw invalid(`number "${number}" is not a valid phone number for dial_code ${dial_code}`)
  if (!servedCountries.includes(parsed.country))
    throw invalid(
      `dial_code "${dial_code}" belongs to ${parsed.country}, which is not served; served are ${servedCountries.join(', ')}`,
    )
  return { digits: parsed.number.slice(1), country: requireCountry(parsed.country) }
}

const KENYAN_MOBILE = /^(?:\+?254|0)([17]\d{8})$/

/**
 * Reads a Kenyan mobile number in any of the observed forms into digits with the dial code.
 * @throws ServiceError naming the field and the accepted forms
 */
export function readKenyanMobile(text: string, field: string): string {
  const match = KENYAN_MOBILE.exec(text.replace(/[\s-]/g, ''))
  if (!match)
    throw invalid(
      `${field} "${text}" must be a Kenyan mobile number: 07XXXXXXXX, 01XXXXXXXX, 2547XXXXXXXX or +2547XXXXXXXX`,
    )
  return `254${match[1]}`
}

/**
 * Reads a mobile-money number of a country, local or international, into digits with the dial code.
 * @throws ServiceError naming the field and an accepted form
 */
export function readMobile(text: string, country: Country, field: string): string {
  if (country.code === 'KE') return readKenyanMobile(text, field)
  const parsed = parsePhoneNumberFromString(text, country.code as 'TZ')
  if (!parsed?.isValid() || parsed.country !== country.code)
    throw invalid(
      `${field} "${text}" must be a phone number of ${country.name}, such as +${country.dial_code}…`,
    )
  return parsed.number.slice(1)
}

/** Digits with the dial code where the text is a number of the country, else the text without spaces and plus. */
export function normalizedMobile(text: string, country: Country | undefined): string {
  const bare = text.replace(/[\s-]/g, '').replace(/^\+/, '')
  if (!country || (bare.startsWith(country.dial_code) && !text.startsWith('0'))) return bare
  if (country.code === 'KE') return bare.replace(/^0(?=[17]\d{8}$)/, '254')
  const parsed = parsePhoneNumberFromString(text, country.code as 'TZ')
  return parsed?.isValid() ? parsed.number.slice(1) : bare
}

/** The local form with the trunk zero, e.g. `0712345678`, of digits with the Kenyan dial code. */
export const localKenyan = (digits: string) => digits.replace(/^254/, '0')
