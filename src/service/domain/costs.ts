import { invalid } from './errors.ts'
import { formatMoney, fromShillings } from './money.ts'

/** What a transaction costs, in Kenya shillings: the first band whose `up_to` the amount does not exceed. */
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

/** The cost of moving `amount`; both in minor units of the currency. */
export function costOf(bands: readonly CostBand[], amount: number, currency: string): number {
  const band = bands.find((each) => amount <= fromShillings(each.up_to, currency)) ?? bands.at(-1)
  return band ? fromShillings(band.cost, currency) : 0
}

/**
 * A collection must bring in more than it costs (specification 8).
 * @throws ServiceError with the observed message and the real cost
 */
export function requireCovers(amount: number, cost: number, currency: string): void {
  if (amount <= cost) {
    const figure = formatMoney(cost, currency)
    throw invalid(`the transaction amount is insufficient as it wont cater for cost: (${figure})`)
  }
}
