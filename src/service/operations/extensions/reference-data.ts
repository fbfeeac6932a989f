import { bankPaybills } from '../../domain/countries/ke.ts'
import { convert, type CostBand } from '../../domain/money.ts'
import type { ExtensionHandlers } from '../../../http/handler.ts'

/** That of the figures of a tariff. */
const CURRENCY = 'KES'

export const referenceData: Pick<
  ExtensionHandlers,
  'listBankPaybills' | 'getTransactionFees' | 'convertCurrency'
> = {
  listBankPaybills: {
    read: () => ({ status: 200, body: { bank_paybills: bankPaybills } }),
  },

  getTransactionFees: {
    read: ({ settings }) => ({
      status: 200,
      body: { currency: CURRENCY, transaction_fees: feesOf(settings.costs) },
    }),
  },

  convertCurrency: {
    read: (_look, { request }) => ({ status: 200, body: convert(request.body) }),
  },
}

// JSON has no number without end.
const feesOf = (bands: readonly CostBand[]) =>
  bands.map(({ up_to, cost }, n) => ({
    from: bands[n - 1]?.up_to ?? 0,
    to: Number.isFinite(up_to) ? up_to : null,
    cost,
  }))
