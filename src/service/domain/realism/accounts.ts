/** What the number of a bank account has to look like, by country and bank. */
import type { Country } from '../countries/country.ts'
import type { Faults } from '../faults.ts'
import { keptEnding } from '../kept-accounts.ts'
import { shown } from '../../../lib/text/shown.ts'

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
