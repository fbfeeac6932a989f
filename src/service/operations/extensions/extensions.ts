/**
 * The operations of the previous API generation, loaded at the first request for one; the specification does not
 * contain them.
 */
import * as api from '../../../generated/extensions/routes.ts'
import { Hono } from 'hono'
import type { Dependencies } from '../../../http/dependencies.ts'
import type { Env } from '../../../http/exchange.ts'
import type { ExtensionHandlers } from '../../../http/handler.ts'
import { bindRoutes } from '../../../http/serve.ts'
import { transactions } from './transactions.ts'
import { wallets } from './wallets.ts'
import { bankPaybills } from '../../domain/countries/ke.ts'
import { convert, type CostBand } from '../../domain/money.ts'

const CURRENCY = 'KES'

export const extensions: ExtensionHandlers = {
  ...transactions,
  ...wallets,

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

// JSON has no Infinity.
const feesOf = (bands: readonly CostBand[]) =>
  bands.map(({ up_to, cost }, n) => ({
    from: bands[n - 1]?.up_to ?? 0,
    to: Number.isFinite(up_to) ? up_to : null,
    cost,
  }))

export function createExtensions(serving: Dependencies): Hono<Env> {
  const app = new Hono<Env>()
  bindRoutes(app, serving, { ...api, kind: 'service', handlers: extensions })
  return app
}
