/** Rates of currencies, and payments in another currency than the Team's, which `realism: field` converts. All figures are assumed. */
import type { ConvertRequest } from '../../generated/extensions/types.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { Exchange } from '../../storage/store/row-fields.ts'
import type { PostingLine } from '../../storage/store/tables.ts'
import type { Look, Tx } from './context.ts'
import { Faults, noneLeft } from './errors.ts'
import { currencies, minorUnit, perShilling, readMoney, toMajor } from './money.ts'
import { costFor } from './costs.ts'

/** What the service keeps of each exchange. */
const MARGIN = 0.015
/** How far a currency moves from its usual rate on one day. */
const DRIFT = 0.02
const DAY = 86_400_000

/** Returns the units of a currency per Kenya shilling on the world's day; rates move only under `realism: field`. */
function valueOf({ random, now, settings }: Look, currency: string): number {
  if (settings.realism !== 'field') return perShilling(currency)
  const drawn = random.fraction(`rate ${currency}`, Math.floor(now / DAY))
  return perShilling(currency) * (currency === 'KES' ? 1 : 1 + DRIFT * (2 * drawn - 1))
}

type Converted = Pick<
  TransactionRow,
  'amount' | 'amount_to_save' | 'currency' | 'direction' | 'country' | 'rail' | 'party'
> & { readonly network?: string | undefined }

/**
 * Returns what a payment comes to in the Team's currency: less than at the middle rate for a pay-in, more for a payout.
 * @param home - the Team's currency
 */
export function exchangeFor(tx: Tx, row: Converted, home: string): Exchange {
  const { amount, amount_to_save, currency, direction } = row
  const middle = valueOf(tx, home) / valueOf(tx, currency)
  const rate = Number((middle * (direction === 'payin' ? 1 - MARGIN : 1 + MARGIN)).toPrecision(6))
  const scale = minorUnit(home) / minorUnit(currency)
  const converted = Math.round(amount * scale * rate)
  const saved = Math.round(amount_to_save * scale * rate)
  const worth = Math.round((amount - amount_to_save) * scale * middle)
  return {
    currency: home,
    amount: converted,
    cost: costFor(tx, row, converted, home),
    amount_to_save: saved,
    rate,
    difference: Math.abs(converted - saved - worth),
  }
}

/** What the service holds of a currency between the two sides of an exchange. */
const exchangeAccount = (currency: string) => `exchange:${currency}`
/** The margin and the rounding of exchanges. */
const differenceAccount = (currency: string) => `exchange_difference:${currency}`

/** Replaces the outside money of a posting in the Team's currency by that of the exchange and its difference. */
export const withExchange = (
  { currency, difference }: Exchange,
  lines: readonly PostingLine[],
): PostingLine[] =>
  lines.flatMap((line) =>
    line.account.startsWith('outside:')
      ? [
          { account: exchangeAccount(currency), amount: line.amount - difference },
          { account: differenceAccount(currency), amount: difference },
        ]
      : [line],
  )

/** Returns the side of an exchange in the currency of the payer or recipient. */
export function otherSide({ amount, amount_to_save, currency, direction }: Converted): PostingLine[] {
  const moved = direction === 'payin' ? -amount : amount - amount_to_save
  return [
    { account: `outside:${currency}`, amount: moved },
    { account: exchangeAccount(currency), amount: -moved },
  ]
}

/**
 * Converts an amount to another currency, in major units, and returns the rate.
 * @throws {ServiceError} 400 for a currency that is not served, or an amount that its currency cannot express
 */
export function convert(look: Look, { from, to, amount, ...rest }: ConvertRequest) {
  noneLeft(rest)
  const faults = new Faults()
  if (!currencies.includes(from)) faults.refuseWord('from', from, currencies)
  if (!currencies.includes(to)) faults.refuseWord('to', to, currencies)
  const minor = faults.any ? 0 : readMoney(faults, 'amount', amount, from)
  faults.throwAny()
  const rate = Number((valueOf(look, to) / valueOf(look, from)).toPrecision(10))
  const converted = Math.round(toMajor(minor, from) * rate * minorUnit(to))
  return { from, to, amount, rate, convertedAmount: toMajor(converted, to) }
}
