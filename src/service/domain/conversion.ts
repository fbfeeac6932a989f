import type { ConvertCurrencyBody } from '../../generated/extensions/requests.ts'
import { Faults } from './faults.ts'
import { currencies, rateBetween, readMoney, toMajor, worthIn } from './money.ts'
import { noneLeft } from './request-fields.ts'

/**
 * An amount in another currency, and how much of that one of the first buys; in major units.
 * @throws ServiceError 400 for a currency of no country served, and an amount that its currency does not have
 */
export function convert({ from, to, amount, ...rest }: ConvertCurrencyBody) {
  noneLeft(rest)
  const faults = new Faults()
  if (!currencies.includes(from)) faults.refuseWord('from', from, currencies)
  if (!currencies.includes(to)) faults.refuseWord('to', to, currencies)
  const minor = faults.any ? 0 : readMoney(faults, 'amount', amount, from)
  faults.throwAny()
  return {
    from,
    to,
    amount,
    rate: rateBetween(from, to),
    convertedAmount: toMajor(worthIn(minor, from, to), to),
  }
}
