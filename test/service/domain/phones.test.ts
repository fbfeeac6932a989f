import { describe, expect, it } from 'vitest'
import {
  readKenyanMobile,
  readMobile,
  readTeamPhone,
  requireCountry,
} from '../../../src/service/domain/countries/countries.ts'
import { Faults } from '../../../src/service/domain/errors.ts'

/** What `read` makes of good values. @throws what it finds wrong */
function checked<Value>(read: (faults: Faults) => Value): Value {
  const faults = new Faults()
  const value = read(faults)
  faults.throwAny()
  return value
}

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
    const phone = checked((faults) => readTeamPhone(faults, dial_code, number))
    expect(phone?.digits).toBe(digits)
    expect(phone?.country.currency).toBe(currency)
  })

  it.each([
    ['254', '12345', 'number must be a valid phone number for dial_code 254, got "12345"'],
    ['254', '', 'number must be a valid phone number for dial_code 254, got ""'],
    ['254', 'seven', 'number must be a valid phone number for dial_code 254, got "seven"'],
    ['255', '712', 'must be a valid phone number for dial_code 255'],
    ['', '712345678', 'dial_code must be a country dial code, such as 254 or +254, got ""'],
    ['0254', '712345678', 'dial_code must be a country dial code, such as 254 or +254, got "0254"'],
    ['KE', '712345678', 'dial_code must be a country dial code, such as 254 or +254, got "KE"'],
    [
      '44',
      '2071838750',
      'dial_code must be the dial code of one of KE, TZ, ZM, BW, NG, UG, GH, RW, got "44", which belongs to GB',
    ],
  ])('rejects %j and %j', (dial_code, number, message) => {
    expect(() => checked((faults) => readTeamPhone(faults, dial_code, number))).toThrow(message)
  })
})

describe('a Kenyan mobile number', () => {
  it.each(['0712345678', '0112345678', '254712345678', '+254712345678'])('%s', (text) => {
    expect(checked((faults) => readKenyanMobile(faults, 'phone_number', text))).toMatch(/^254[17]12345678$/)
  })

  it.each([
    '712345678',
    '0212345678',
    '07123456789',
    '+255712345678',
    '00254712345678',
    '',
    'O712345678',
    '0712 345 678',
    '+254 712 345-678',
  ])('rejects %j', (text) => {
    expect(() => checked((faults) => readKenyanMobile(faults, 'phone_number', text))).toThrow(
      `phone_number must be a Kenyan mobile number (07XXXXXXXX, 01XXXXXXXX, 2547XXXXXXXX or +2547XXXXXXXX), got "${text}"`,
    )
  })
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
    expect(checked((faults) => readMobile(faults, 'account_number', text, requireCountry(code)))).toBe(digits)
  })

  it.each([
    ['TZ', '+254712345678', 'must be a phone number of Tanzania, such as +255'],
    ['ZM', '12', 'must be a phone number of Zambia, such as +260'],
    ['KE', '+255754123456', 'must be a Kenyan mobile number (07XXXXXXXX'],
  ])('rejects %s %s', (code, text, message) => {
    expect(() =>
      checked((faults) => readMobile(faults, 'account_number', text, requireCountry(code))),
    ).toThrow(`account_number ${message}`)
  })
})
