import { describe, expect, it } from 'vitest'
import { requireCountry } from '../../src/domain/countries/countries.ts'
import { readKenyanMobile, readMobile, readTeamPhone } from '../../src/domain/phones.ts'

describe("a Team's phone", () => {
  it.each([
    ['254', '712345678', '254712345678', 'KES'],
    ['+254', '0712345678', '254712345678', 'KES'],
    ['254', '0712 345-678', '254712345678', 'KES'],
    ['255', '754123456', '255754123456', 'TZS'],
    ['260', '0971234567', '260971234567', 'ZMW'],
    ['267', '71123456', '26771123456', 'BWP'],
    ['234', '08031234567', '2348031234567', 'NGN'],
    ['256', '772123456', '256772123456', 'UGX'],
    ['233', '0241234567', '233241234567', 'GHS'],
    ['250', '788123456', '250788123456', 'RWF'],
  ])('%s and %s are %s, whose currency is %s', (dial_code, number, digits, currency) => {
    const phone = readTeamPhone(dial_code, number)
    expect(phone.digits).toBe(digits)
    expect(phone.country.currency).toBe(currency)
  })

  it.each([
    ['254', '12345', 'number "12345" is not a valid phone number for dial_code 254'],
    ['254', '', 'number "" is not a valid phone number'],
    ['254', 'seven', 'number "seven" is not a valid phone number'],
    ['255', '712', 'is not a valid phone number for dial_code 255'],
    ['', '712345678', 'dial_code "" must be a country dial code such as 254 or +254'],
    ['0254', '712345678', 'dial_code "0254" must be a country dial code'],
    ['KE', '712345678', 'dial_code "KE" must be a country dial code'],
    ['44', '2071838750', 'dial_code "44" belongs to GB, which is not served; served are KE'],
  ])('%j and %j are refused', (dial_code, number, message) => {
    expect(() => readTeamPhone(dial_code, number)).toThrow(message)
  })
})

describe('a Kenyan mobile number', () => {
  it.each(['0712345678', '0112345678', '254712345678', '+254712345678', '+254 712 345-678'])('%s', (text) => {
    expect(readKenyanMobile(text, 'phone_number')).toMatch(/^254[17]12345678$/)
  })

  it.each(['712345678', '0212345678', '07123456789', '+255712345678', '00254712345678', '', 'O712345678'])(
    '%j is none',
    (text) => {
      expect(() => readKenyanMobile(text, 'phone_number')).toThrow(
        `phone_number "${text}" must be a Kenyan mobile number: 07XXXXXXXX, 01XXXXXXXX`,
      )
    },
  )
})

describe('a mobile-money number of a country', () => {
  it.each([
    ['TZ', '0754123456', '255754123456'],
    ['TZ', '+255754123456', '255754123456'],
    ['TZ', '255754123456', '255754123456'],
    ['ZM', '0971234567', '260971234567'],
    ['NG', '0803 123 4567', '2348031234567'],
    ['KE', '0712345678', '254712345678'],
    ['UG', '0772123456', '256772123456'],
    ['GH', '0241234567', '233241234567'],
    ['RW', '0788123456', '250788123456'],
    ['BW', '71123456', '26771123456'],
  ])('%s %s is %s', (code, text, digits) => {
    expect(readMobile(text, requireCountry(code), 'account_number')).toBe(digits)
  })

  it.each([
    ['TZ', '+254712345678', 'must be a phone number of Tanzania, such as +255'],
    ['ZM', '12', 'must be a phone number of Zambia, such as +260'],
    ['KE', '+255754123456', 'must be a Kenyan mobile number'],
  ])('%s %s is refused', (code, text, message) => {
    expect(() => readMobile(text, requireCountry(code), 'account_number')).toThrow(
      `account_number "${text}" ${message}`,
    )
  })
})
