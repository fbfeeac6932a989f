import { isOfPhone } from '../../vocabulary/rails.ts'
import { atHome, listAccountTransactions, type ListedTransaction } from '../../domain/wallets.ts'
import { toMajor } from '../../domain/money.ts'
import { findByReference } from '../../domain/visible.ts'
import { readTopUp, requestTopUp } from '../../domain/funding.ts'
import { countPoll, waitsForPolls } from '../../domain/transactions.ts'
import { wireTime } from '../../domain/wire-time.ts'
import type { AccountTransaction, OlderTransactionStatus } from '../../../generated/extensions/schemas.ts'
import type { ExtensionHandlers } from '../../../http/handler.ts'
import type { TransactionRow } from '../../../storage/store/payment-rows.ts'
import { pagination } from '../views.ts'

export const transactions = {
  getTransactionStatusByReference: {
    read(look, { caller, request }) {
      const row = findByReference(look, caller, request.query)
      return waitsForPolls(row) ? undefined : { status: 200, body: statusView(row) }
    },
    change(tx, { caller, request }) {
      const found = findByReference(tx, caller, request.query)
      return { status: 200, body: statusView(waitsForPolls(found) ? countPoll(tx, found) : found) }
    },
  },

  topUpServiceWallet: {
    check: (look, { caller, request: { body = {} } }, faults) => void readTopUp(look, caller, body, faults),
    change(tx, { caller, request }) {
      const { reference, checkout_request_id } = requestTopUp(tx, caller, request.body)
      return {
        status: 201,
        body: { success: true, status: 'QUEUED', reference, CheckoutRequestID: checkout_request_id },
      }
    },
  },

  listAccountTransactions: {
    read(look, { caller, request }) {
      const { page, per } = request.query
      const { listed, count } = listAccountTransactions(look, caller, request.query)
      return {
        status: 200,
        body: { transactions: listed.map(listedView), pagination: pagination(count, page, per) },
      }
    },
  },
} satisfies Partial<ExtensionHandlers>

const statusView = (row: TransactionRow): OlderTransactionStatus => ({
  success: row.status === 'SUCCESS' || row.status === 'QUEUED',
  status: row.status,
  reference: row.reference,
  CheckoutRequestID: row.checkout_request_id,
  provider_reference: row.provider_reference,
  third_party_reference: row.provider_reference,
  transaction_date: wireTime(row.settled_at ?? row.created_at),
  provider: row.provider,
})

const names = {
  wallet_top_up: 'Wallet top up',
  inbound_payment: 'Inbound payment',
  outbound_payment: 'Outbound payment',
  service_charge: 'Service charge',
} as const

function listedView({ row, transaction }: ListedTransaction): AccountTransaction {
  const { transaction_type, currency } = row
  const charge = transaction_type === 'service_charge'
  const about = charge ? undefined : transaction
  return {
    id: row.id,
    account_id: row.account_id,
    invoice_id: null,
    transaction_type,
    description: describe(row, transaction),
    amount: toMajor(row.amount, currency),
    transaction_reference: transaction?.reference ?? '',
    provider_reference: charge ? `cost_${transaction?.reference ?? ''}` : (about?.provider_reference ?? ''),
    goal_id: null,
    gateway: about?.provider ?? '',
    cost: about ? toMajor(atHome(about).cost, currency) : 0,
    wallet_balance: toMajor(row.wallet_balance, currency),
    transaction_name: names[transaction_type],
    is_bill_payment: about !== undefined && paysBusiness(about),
    beneficiary_number: about?.party ?? '',
    beneficiary: null,
    external_reference: transaction?.external_reference ?? '',
    created_at: wireTime(row.created_at),
  }
}

/** Digits of the shortest phone number; paybill and till numbers have fewer. */
const PHONE = 9

const paysBusiness = ({ direction, rail, party }: TransactionRow): boolean =>
  direction === 'payout' && isOfPhone({ rail }) && (party.includes('#') || party.length < PHONE)

function describe({ transaction_type }: ListedTransaction['row'], transaction: TransactionRow | undefined) {
  if (transaction_type === 'service_charge') return `Charge for ${transaction?.reference ?? ''}`
  if (!transaction) return names[transaction_type]
  const way = transaction_type === 'outbound_payment' ? 'to' : 'from'
  return `${names[transaction_type]} ${way} ${transaction.party}`
}
