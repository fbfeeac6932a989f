import type { Look } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import { feesAccount, outsideAccount, type Pot, teamAccount } from '../service/domain/ledger.ts'
import { currencies } from '../service/domain/money.ts'
import type { BalanceRow } from '../storage/store/payment-rows.ts'
import type { TeamRow } from '../storage/store/rows.ts'
import { didYouMean } from '../lib/text/suggest.ts'

const pots: readonly Pot[] = ['wallet', 'service_wallet', 'savings', 'in_transit']

/**
 * What an account of the ledger holds, by its name as people write it: without a currency it is a Team's own, or the only one there is.
 * An account that nothing was ever booked to holds 0.
 * @param teams those of the caller
 * @throws ServiceError 400 with the nearest account when there is none of this name, or with all of them when several are meant
 */
export function balanceNamed({ rows }: Look, teams: readonly TeamRow[], name: string): BalanceRow {
  const exact = rows.get('balances', name)
  if (exact) return exact
  const bare = baseOf(name)
  const team = teams.find(({ id }) => pots.some((pot) => bare === `team:${id}:${pot}`))
  const exists = team !== undefined || bare === 'fees' || bare === 'outside'
  const currency = name.slice(bare.length + 1)
  if (exists && currencies.includes(currency)) return { account: name, currency, amount: 0 }
  if (exists && currency === '') {
    const held = currencies.flatMap((each) => rows.get('balances', `${bare}:${each}`) ?? [])
    const own = (team ?? teams[0])!.currency
    const nothing = { account: `${bare}:${own}`, currency: own, amount: 0 }
    if (held.length <= 1) return held[0] ?? nothing
    if (team) return held.find((each) => each.currency === own) ?? nothing
    throw invalid(`account ${name} is held in several currencies: ${listed(held)}`)
  }
  const known = [...rows.all('balances').map(({ account }) => account), ...teams.flatMap(accountsOf)]
  throw invalid(`account "${name}" is not one of the ledger${didYouMean(name, known) || FORMS}`)
}

const FORMS = '; accepted are such as team:63:wallet:KES, fees:KES and outside:KES'

/** Without the currency at its end. */
const baseOf = (name: string) => name.replace(/^(fees|outside|team:\d+:\w+):.*$/s, '$1')

const accountsOf = ({ id, currency }: TeamRow): readonly string[] => [
  ...pots.map((pot) => teamAccount(id, pot, currency)),
  ...pots.map((pot) => `team:${id}:${pot}`),
  feesAccount(currency),
  outsideAccount(currency),
  'fees',
  'outside',
]

const listed = (held: readonly BalanceRow[]) => held.map(({ account }) => account).join(', ')
