/** What payments, collections and withdrawals cost. */
import { networkOf, type Routed } from './countries/networks.ts'
import { invalid } from './errors.ts'
import { coinOf, formatMoney, fromShillings, minorUnit } from './money.ts'

/** A cost in Kenya shillings for amounts up to `up_to`; the first matching band applies. */
export interface CostBand {
  readonly up_to: number
  readonly cost: number
}

/** Open-points, "Legacy collection and withdrawal" (figures assumed). */
export const defaultCosts: readonly CostBand[] = [
  { up_to: 49, cost: 1 },
  { up_to: 499, cost: 4.62 },
  { up_to: 999, cost: 8 },
  { up_to: 4_999, cost: 15 },
  { up_to: 9_999, cost: 25 },
  { up_to: Infinity, cost: 40 },
]

/** Returns the cost of `amount`; both in minor units of the currency. Outside Kenya it is a multiple of the coin. */
export function costOf(bands: readonly CostBand[], amount: number, currency: string, fee = 1): number {
  const band = bands.find((each) => amount <= fromShillings(each.up_to, currency)) ?? bands.at(-1)
  return band ? chargeOf({ ...band, cost: band.cost * fee }, currency) : 0
}

/** Returns the cost of a band, minor units of the currency. */
export function chargeOf(band: CostBand, currency: string): number {
  const coin = Math.round(coinOf(currency) * minorUnit(currency)) || 1
  const cost = fromShillings(band.cost, currency)
  return cost === 0 ? 0 : Math.max(coin, Math.round(cost / coin) * coin)
}

/**
 * Requires that a collection exceeds its cost (specification 8).
 * @throws {ServiceError} with the observed message and the actual cost
 */
export function requireCovers(amount: number, cost: number, currency: string): void {
  if (amount <= cost) {
    const figure = formatMoney(cost, currency)
    throw invalid(`the transaction amount is insufficient as it wont cater for cost: (${figure})`)
  }
}
interface Prices {
  readonly costs: readonly CostBand[]
  readonly realism: string
  readonly network_prices?: boolean | undefined
}

/** Returns the cost of a payment, minor units. In the field, networks have prices of their own. */
export function costFor(
  { settings }: { readonly settings: Prices },
  payment: Routed,
  amount: number,
  currency: string,
): number {
  const { realism, network_prices = realism === 'field' } = settings
  const fee = network_prices ? networkOf(payment)?.fee : undefined
  return costOf(settings.costs, amount, currency, fee)
}
