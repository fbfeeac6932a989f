/** What networks of mobile money take as an amount, beside their least and most. */
import type { Country } from '../countries/country.ts'
import type { Direction } from '../../vocabulary/terms.ts'
import type { Faults } from '../faults.ts'

/**
 * Networks that take no decimals though their currency has them, by country, and in which direction; in both where none is named
 * (observed: what aggregators publish of each network, and M-Pesa's own API, whose prompts are for whole shillings).
 */
export const wholeAmounts: {
  readonly [country: string]: { readonly [network_name: string]: Direction | 'both' }
} = {
  KE: { 'M-Pesa': 'payin' },
  TZ: { 'Mixx by Yas': 'both', HaloPesa: 'both' },
  NG: { SmartCash: 'both' },
}

/** Refuses decimals where the network takes none. @param amount major units, as sent */
export function requireWhole(
  faults: Faults,
  amount: number | undefined,
  { code, currency }: Pick<Country, 'code' | 'currency'>,
  network_name: string | undefined,
  direction: Direction,
): void {
  if (amount === undefined || network_name === undefined || Number.isInteger(amount)) return
  const taken = wholeAmounts[code]?.[network_name]
  if (taken !== 'both' && taken !== direction) return
  const what = direction === 'payin' ? 'payments' : 'payouts'
  faults.refuse(
    'amount',
    amount,
    `must be a whole number of ${currency}: ${network_name} takes no decimals in ${what}`,
  )
}
