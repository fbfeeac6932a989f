import { readCollection, requestCollection } from '../domain/collections.ts'
import { readGlobalPayment, requestGlobalPayment } from '../domain/global-payments.ts'
import { toMajor } from '../domain/money.ts'
import { readWithdrawal, requestWithdrawal } from '../domain/payouts.ts'
import { noneLeft } from '../domain/errors.ts'
import { statusResult } from '../domain/callbacks.ts'
import { countPoll, findTransaction, waitsForPolls } from '../domain/transactions.ts'
import type { GetTransactionStatusBody } from '../../generated/service/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { checkoutPath } from '../../worlds/checkout-address.ts'
import type { ServiceHandlers } from '../../http/handler.ts'

export const payments = {
  createCollection: {
    check: (look, { caller, request: { body = {} } }, faults) =>
      void readCollection(look, caller, body, faults),
    change(tx, { caller, request }) {
      const row = requestCollection(tx, caller, request.body)
      return {
        status: 201,
        body: {
          success: true,
          status: 'QUEUED',
          reference: row.reference,
          CheckoutRequestID: row.checkout_request_id,
          external_reference: row.external_reference,
        },
      }
    },
  },

  createWithdrawal: {
    check: (look, { caller, request: { body = {} } }, faults) =>
      void readWithdrawal(look, caller, body, faults),
    change(tx, { caller, request }) {
      const row = requestWithdrawal(tx, caller, request.body)
      return {
        status: 200,
        body: {
          status: 'QUEUED',
          merchant_reference: row.reference,
          checkout_request_id: row.checkout_request_id,
          response_code: tx.settings.generation === 'previous' ? '0' : '200',
          conversation_id: row.reference,
          external_reference: row.external_reference,
        },
      }
    },
  },

  createGlobalPayment: {
    check: (look, { caller, request: { body = {} } }, faults) =>
      void readGlobalPayment(look, caller, body, faults),
    change(tx, call) {
      const row = requestGlobalPayment(tx, call.caller, call.request.body)
      return {
        status: 200,
        body: {
          status_code: '200',
          merchant_reference: row.reference,
          transaction_type: row.direction,
          success: true,
          message: 'request sent',
          checkout_request_id: row.checkout_request_id,
          gateway: row.provider,
          conversation_id: row.reference,
          ...(row.direction === 'payin' && {
            provider_response: providerResponse(row, call.origin + checkoutPath(call.world, row)),
          }),
        },
      }
    },
  },

  getTransactionStatus: {
    read(look, { caller, request }) {
      const row = findTransaction(look, caller, requestId(request.body), 'request_id')
      return waitsForPolls(row) ? undefined : { status: 200, body: statusResult(row) }
    },
    change(tx, { caller, request }) {
      const found = findTransaction(tx, caller, requestId(request.body), 'request_id')
      const row = waitsForPolls(found) ? countPoll(tx, found) : found
      return { status: 200, body: statusResult(row) }
    },
  },
} satisfies Partial<ServiceHandlers>

function requestId({ request_id, ...rest }: GetTransactionStatusBody): string {
  noneLeft(rest)
  return request_id
}

/** The provider's response to a pay-in; the rate is 1:1 unless the payment is converted to the Team's currency. */
function providerResponse(row: TransactionRow, checkout_url: string) {
  const amount = toMajor(row.amount, row.currency)
  return {
    amount,
    convertedAmount: row.exchange ? toMajor(row.exchange.amount, row.exchange.currency) : amount,
    country: row.country,
    currency: row.currency,
    rate: row.exchange?.rate ?? 1,
    status: 'process',
    checkout_url,
  }
}
