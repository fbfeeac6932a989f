import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { describe, expect, it } from 'vitest'
import { countries, countryByCode } from '../../../../src/service/domain/countries/countries.ts'
import {
  networksOf,
  networksOn,
  isMobile,
  nubanDigit,
  operatorOf,
  prefixesOf,
} from '../../../../src/service/domain/countries/networks.ts'

const typeOf = (digits: string) => parsePhoneNumberFromString(`+${digits}`)?.getType()
const named = (code: string) => networksOf(countryByCode(code)!, 'momo').map((each) => each.network_name)

describe.each(countries)('the numbering plan of $name', (country) => {
  const { code, dial_code, test_numbers } = country
  const plan = country.numbering
  const all = plan.operators.flatMap(prefixesOf)
  const length = test_numbers.block.length + 3 - dial_code.length
  const sample = (prefix: string) => dial_code + prefix.padEnd(length, '123456789')

  it('gives each prefix to one operator, and none within another', () => {
    expect(new Set(all).size).toBe(all.length)
    for (const prefix of all)
      expect(all.filter((other) => other !== prefix && other.startsWith(prefix))).toEqual([])
  })

  it('contains only prefixes of mobile numbers', () => {
    for (const prefix of all) {
      expect(operatorOf(country, sample(prefix))).toBeDefined()
      expect(isMobile(country, sample(prefix))).toBe(true)
      expect([prefix, typeOf(sample(prefix))]).toEqual([prefix, 'MOBILE'])
    }
  })

  it('accepts every mobile number that libphonenumber accepts', () => {
    const valid = [...Array(1_000).keys()]
      .map((n) => sample(String(n).padStart(3, '0')))
      .filter((digits) => typeOf(digits) === 'MOBILE')
    expect(valid).not.toEqual([])
    expect(valid.filter((digits) => !isMobile(country, digits))).toEqual([])
  })

  it('refers to networks of discovery, each with one operator', () => {
    const networks = plan.operators.flatMap((each) => each.networks)
    expect(new Set(networks).size).toBe(networks.length)
    expect(named(code)).toEqual(expect.arrayContaining(networks))
  })

  it('has a source', () => expect(plan.source).toMatch(/\w/))

  it('assigns reserved numbers to an operator', () =>
    expect(operatorOf(country, `${test_numbers.block}002`)).toBeDefined())
})

describe('the check digit of a NUBAN', () => {
  it('matches the published example', () => expect(nubanDigit('011', '000001457')).toBe(9))

  it('is known for each bank of Nigeria', () =>
    expect(networksOn('NG', 'bank').every(({ bank_code }) => /^\d{3}$/.test(bank_code ?? ''))).toBe(true))
})

describe.each(countries)('the networks of $name', ({ code, market: { networks, shares } }) => {
  const all = Object.entries(networks).flatMap(([rail, list]) => list.map((facts) => ({ rail, ...facts })))

  it('have a share, a form of receipts and a code of their own', () => {
    expect(shares).toMatch(/\w/)
    for (const { share } of all) expect(share).toBeGreaterThan(0)
    for (const rail of ['momo', 'bank', 'card'])
      expect(new Set(all.filter((each) => each.rail === rail).map((each) => each.code)).size).toBe(
        all.filter((each) => each.rail === rail).length,
      )
  })

  it('have accounts that realistic banks accept', () => {
    const form = countryByCode(code)!.accounts?.form ?? /./
    const accounts = networks.bank.map(({ account = '0#########' }) => account.replaceAll('#', '1'))
    expect(accounts.filter((account) => !form.test(account))).toEqual([])
  })
})
