import { requestCollection } from '../domain/collections.ts'
import { requestGlobalPayment } from '../domain/global-payments.ts'
import { toMajor } from '../domain/money.ts'
import { requestWithdrawal } from '../domain/payouts.ts'
import { flatResult } from '../domain/results.ts'
import { countPoll, findTransaction, waitsForPolls } from '../domain/transactions.ts'
import type { TransactionRow } from '../store/rows.ts'
import { originOf } from '../http/origin.ts'
import { checkoutPath } from '../worlds/checkout-address.ts'
import type { ServiceHandlers } from './handlers.ts'

export const payments: Pick<
  ServiceHandlers,
  'createCollection' | 'createWithdrawal' | 'createGlobalPayment' | 'getTransactionStatus'
> = {
  async createCollection(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const input = c.req.valid('json')
    const row = await world.change((tx) => requestCollection(tx, caller, input))
    return c.json(
      {
        success: true,
        status: 'QUEUED' as const,
        reference: row.reference,
        CheckoutRequestID: row.checkout_request_id,
        external_reference: row.external_reference,
      },
      201,
    )
  },

  async createWithdrawal(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const input = c.req.valid('json')
    const row = await world.change((tx) => requestWithdrawal(tx, caller, input))
    return c.json(
      {
        status: 'QUEUED' as const,
        merchant_reference: row.reference,
        checkout_request_id: row.checkout_request_id,
        response_code: '200',
        conversation_id: row.reference,
        external_reference: row.external_reference,
      },
      200,
    )
  },

  async createGlobalPayment(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const input = c.req.valid('json')
    const row = await world.change((tx) => requestGlobalPayment(tx, caller, input))
    return c.json(
      {
        status_code: '200',
        merchant_reference: row.reference,
        transaction_type: row.direction,
        success: true,
        message: 'request sent',
        checkout_request_id: row.checkout_request_id,
        gateway: row.provider,
        conversation_id: row.reference,
        ...(row.direction === 'payin' && {
          provider_response: providerResponse(row, () => originOf(c.req.url) + checkoutPath(world, row)),
        }),
      },
      200,
    )
  },

  async getTransactionStatus(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const { request_id } = c.req.valid('json')
    const found = await world.read((look) => findTransaction(look, caller, request_id, 'request_id'))
    const row = waitsForPolls(found) ? await world.change((tx) => countPoll(tx, found)) : found
    return c.json(flatResult(row), 200)
  },
}

/** What the provider said of a pay-in; the rate is 1:1 in the country's own currency. */
function providerResponse(row: TransactionRow, checkoutUrl: () => string) {
  const amount = toMajor(row.amount, row.currency)
  return {
    amount,
    convertedAmount: amount,
    country: row.country,
    currency: row.currency,
    rate: 1,
    status: 'process',
    ...(row.rail === 'card' && { checkout_url: checkoutUrl() }),
  }
}
