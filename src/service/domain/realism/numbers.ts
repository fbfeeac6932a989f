/**
 * The prefixes of operators: observed, as libphonenumber's tables of carriers have them, but where an operator says that they
 * are assumed. Networks that take the numbers of every operator, such as OPay, are not named here.
 */
import { lazy } from '../../../lib/lazy.ts'
import type { Country } from '../countries/country.ts'
import type { Faults } from '../errors.ts'
import { keptEnding } from '../archive.ts'
import { shown } from '../../../lib/text/shown.ts'

/** Who gave out a number first. */
export interface Operator {
  readonly name: string
  /** The networks of mobile money, by `network_name`, that only its own numbers are on. */
  readonly networks: readonly string[]
  /** What its numbers begin with in the country, without the trunk zero: `71`, or `740-743` for several. */
  readonly prefixes: string
  /** What the source of the plan says instead, where the prefixes are not from there. */
  readonly assumed?: string
}

/** The mobile numbers of a country. */
interface NumberingPlan {
  /** What the national digits of a mobile number begin with. */
  readonly mobile: RegExp
  readonly operators: readonly Operator[]
  /** Where the prefixes are published. */
  readonly source: string
}

const operator = (name: string, networks: readonly string[], prefixes: string) => ({
  name,
  networks,
  prefixes,
})
/** The tables know no such operator there, but the prefix as another's. */
const assumed = (name: string, prefixes: string, why: string) => ({
  ...operator(name, [], prefixes),
  assumed: why,
})
const CARRIERS = 'libphonenumber 9.0.43, tables of carriers'

/** By ISO code of the country. */
export const plans: { readonly [country: string]: NumberingPlan } = {
  KE: {
    mobile: /^[17]/,
    source: CARRIERS,
    operators: [
      operator('Safaricom', ['M-Pesa'], '70-72 79 740-743 745-746 748 757-759 768-769 110-117'),
      operator('Airtel Kenya', ['Airtel Money'], '73 750-756 762 767 78 100-108'),
      operator('Telkom Kenya', ['T-Kash'], '77'),
      operator('Jamii Telecommunications', [], '747'),
      assumed('Finserve Africa', '763-766', `${CARRIERS}, have them as Airtel’s`),
    ],
  },
  TZ: {
    mobile: /^[67]/,
    source: CARRIERS,
    operators: [
      operator('Vodacom Tanzania', ['M-Pesa'], '74-76 79'),
      operator('Yas', ['Mixx by Yas'], '65 67 70-71 77'),
      operator('Airtel Tanzania', ['Airtel Money'], '66 68-69 78'),
      operator('Halotel', ['HaloPesa'], '61-63'),
      operator('TTCL', [], '73'),
    ],
  },
  ZM: {
    mobile: /^[579]/,
    source: CARRIERS,
    operators: [
      operator('MTN Zambia', ['MTN MoMo'], '76 96'),
      operator('Airtel Zambia', ['Airtel Money'], '77 97'),
      operator('Zamtel', ['Zamtel Money'], '75 95'),
    ],
  },
  BW: {
    mobile: /^7/,
    source: CARRIERS,
    operators: [
      operator('Mascom', ['MyZaka'], '71 740-742 745-747 754-756 759-762 766-767 776'),
      operator('Orange Botswana', ['Orange Money'], '72 743-744 748 750-753 757 763-765 769'),
      operator('BTC', ['Smega'], '73'),
    ],
  },
  NG: {
    mobile: /^[789]\d{9}$/,
    source: CARRIERS,
    operators: [
      operator('MTN Nigeria', ['MTN MoMo'], '703 706 803 806 810 813-814 816 903 906 913 916'),
      operator('Airtel Nigeria', ['SmartCash'], '701 708 802 808 812 901-902 904 907 912'),
      operator('Glo', [], '705 805 807 811 815 905 915'),
      operator('9mobile', [], '809 817-818 908-909'),
    ],
  },
  UG: {
    mobile: /^7/,
    source: CARRIERS,
    operators: [
      operator('MTN Uganda', ['MTN MoMo'], '76-78'),
      operator('Airtel Uganda', ['Airtel Money'], '70 74-75'),
      operator('Uganda Telecom', [], '71'),
    ],
  },
  GH: {
    mobile: /^[25]/,
    source: CARRIERS,
    operators: [
      operator('MTN Ghana', ['MTN MoMo'], '24 54 553-558 59'),
      operator('Telecel Ghana', ['Telecel Cash'], '20 50'),
      operator('AT Ghana', ['AT Money'], '26-27 56-57'),
      assumed('Glo', '23', `${CARRIERS}, have it as AT’s`),
    ],
  },
  RW: {
    mobile: /^7/,
    source: CARRIERS,
    operators: [
      operator('MTN Rwanda', ['MTN MoMo'], '78-79'),
      operator('Airtel Rwanda', ['Airtel Money'], '72-73'),
    ],
  },
}

/** Which operator a mobile number was given out by, as national numbering plans have it. A number that moved keeps its digits. */

/** `740-743 745` are `740`, `741`, `742`, `743` and `745`. */
export function prefixesOf({ prefixes }: Operator): readonly string[] {
  return prefixes.split(' ').flatMap((written) => {
    const [first = '', last = first] = written.split('-')
    const count = Number(last) - Number(first) + 1
    return Array.from({ length: count }, (_, n) => String(Number(first) + n))
  })
}

/** By country and prefix; made when the first number is looked at. */
const byPrefix = lazy(
  () =>
    new Map(
      Object.entries(plans).map(([country, { operators }]) => [
        country,
        new Map(
          operators.flatMap((operator) => prefixesOf(operator).map((each) => [each, operator] as const)),
        ),
      ]),
    ),
)

const SHORTEST = 2
const LONGEST = 4

/** The operator whose number it is; undefined where no plan says. @param digits with the dial code */
export function operatorOf({ code, dial_code }: Country, digits: string): Operator | undefined {
  const prefixes = byPrefix().get(code)
  const national = digits.slice(dial_code.length)
  for (let length = LONGEST; length >= SHORTEST; length--) {
    const found = prefixes?.get(national.slice(0, length))
    if (found) return found
  }
  return undefined
}

/** Whether digits with the dial code are those of a mobile phone. */
export const isMobile = ({ code, dial_code }: Country, digits: string): boolean =>
  plans[code]?.mobile.test(digits.slice(dial_code.length)) ?? true

/** Whether a number is on another network than `network_name`; false where nobody can tell. */
export function isOfAnother(country: Country, digits: string, network_name: string): boolean {
  const known = plans[country.code]?.operators.some(({ networks }) => networks.includes(network_name))
  const operator = known ? operatorOf(country, digits) : undefined
  return operator !== undefined && !operator.networks.includes(network_name)
}

/** Whether a number is one of those kept for scenarios, which are on every network. */
export const isKeptForScenarios = ({ magic: { block } }: Country, digits: string): boolean =>
  digits.startsWith(block) && digits.length === block.length + 3

/** What the number of a bank account has to look like, by country and bank. */

interface AccountForm {
  readonly form: RegExp
  /** In words, after `must be`. */
  readonly expected: string
  readonly source: string
  /** Whether the form is published, or made up here. */
  readonly provenance: 'observed' | 'assumed'
}

/** By country; where none is here, whatever is no blank is taken. */
export const accountForms: { readonly [country: string]: AccountForm } = {
  KE: {
    form: /^\d{8,16}$/,
    expected: 'the 8 to 16 digits of a bank account',
    source: 'public figures differ by bank and by whom one asks; all are within these',
    provenance: 'assumed',
  },
  NG: {
    form: /^\d{10}$/,
    expected: 'the ten digits of a NUBAN',
    source: 'Central Bank of Nigeria, standards on the Nigeria Uniform Bank Account Number, 2020',
    provenance: 'observed',
  },
}

/** The Central Bank of Nigeria's codes of banks (observed), which the check digit of an account is made with. */
export const nigerianBanks: { readonly [network_name: string]: string } = {
  'Access Bank': '044',
  GTBank: '058',
  'Zenith Bank': '057',
  UBA: '033',
  'First Bank': '011',
}

const WEIGHTS = [3, 7, 3]

/** The last digit of a NUBAN. @param bank the three digits of its code @param serial the first nine of the account */
export function nubanDigit(bank: string, serial: string): number {
  const sum = [...`${bank}${serial}`].reduce((total, digit, n) => total + Number(digit) * WEIGHTS[n % 3]!, 0)
  return (10 - (sum % 10)) % 10
}

/** Refuses what is no account of the bank. @param network_name the bank, where it is known */
export function requireAccount(
  faults: Faults,
  field: string,
  account: string,
  { code }: Pick<Country, 'code'>,
  network_name: string | undefined,
): void {
  const form = accountForms[code]
  if (!form || account === '' || keptEnding(account) !== undefined) return
  if (!form.form.test(account)) return faults.refuse(field, account, `must be ${form.expected}`)
  const bank = code === 'NG' && network_name !== undefined ? nigerianBanks[network_name] : undefined
  if (bank === undefined) return
  const digit = nubanDigit(bank, account.slice(0, -1))
  if (account.endsWith(String(digit))) return
  faults.add(
    field,
    `must be an account of ${network_name}, whose check digit for ${account.slice(0, -1)} is ${digit}, got ${shown(account)}`,
  )
}
