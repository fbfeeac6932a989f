/**
 * The operations of the previous API generation, loaded at the first request for one; the specification does not
 * contain them.
 */
import * as api from '../../../generated/extensions/routes.ts'
import { isOfPhone } from '../../vocabulary/rails.ts'
import {
  atHome,
  listAccountTransactions,
  type ListedTransaction,
  balanceOfChannel,
  findWallet,
  holdingsOf,
  type Wallet,
  type WalletType,
} from '../../domain/wallets.ts'
import { convert } from '../../domain/exchange.ts'
import { toMajor } from '../../domain/money.ts'
import type { CostBand } from '../../domain/costs.ts'
import { findByReference } from '../../domain/visible.ts'
import { readTopUp, requestTopUp } from '../../domain/funding.ts'
import { countPoll, waitsForPolls } from '../../domain/transactions.ts'
import { wireTime } from '../../domain/wire-time.ts'
import type {
  AccountTransaction,
  OlderTransactionStatus,
  OlderPaymentChannel,
  Wallet as WalletView,
} from '../../../generated/extensions/types.ts'
import type { ExtensionHandlers } from '../../../http/handler.ts'
import type { TransactionRow } from '../../../storage/store/payment-rows.ts'
import { pagination, channelView } from '../views.ts'
import { createChannel, findChannel } from '../../domain/channels.ts'
import type { Look } from '../../domain/context.ts'
import { noneLeft } from '../../domain/errors.ts'
import type { ChannelRow } from '../../../storage/store/rows.ts'
import { Hono } from 'hono'
import type { Dependencies } from '../../../http/dependencies.ts'
import type { Env } from '../../../http/exchange.ts'
import { bindRoutes } from '../../../http/serve.ts'
import { bankPaybills } from '../../domain/countries/ke.ts'

export const extensions: ExtensionHandlers = {
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

  getWallet: {
    read(look, { caller, request: { query } }) {
      const wallet = findWallet(look, caller, query)
      return { status: 200, body: walletView(wallet, query.wallet_type) }
    },
  },

  getAccountBalances: {
    read(look, { caller, request }) {
      const { account_id, ...rest } = request.path
      noneLeft(rest)
      const balances = holdingsOf(look, caller, account_id).map((held) => {
        const { currency } = held
        return {
          currency,
          payment_wallet: toMajor(held.wallet, currency),
          service_wallet: toMajor(held.service_wallet, currency),
          savings: toMajor(held.savings, currency),
          in_transit: toMajor(held.in_transit, currency),
        }
      })
      return { status: 200, body: { account_id, balances } }
    },
  },

  createPaymentChannel: {
    change(tx, { caller, request }) {
      return { status: 200, body: olderView(tx, createChannel(tx, caller, request.body)) }
    },
  },

  getPaymentChannel: {
    read(look, { caller, request }) {
      const { id, ...rest } = request.path
      noneLeft(rest)
      return { status: 200, body: olderView(look, findChannel(look, caller, id)) }
    },
  },

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
    read: (look, { request }) => ({ status: 200, body: convert(look, request.body) }),
  },
}

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

/** Wallets have no numbers in the sandbox, so they are derived from the Team's (assumed). */
const walletView = ({ team, balance }: Wallet, wallet_type: WalletType): WalletView => ({
  id: team.id * 10 + (wallet_type === 'service_wallet' ? 1 : 2),
  account_id: team.id,
  wallet_type,
  currency: team.currency,
  available_balance: toMajor(balance, team.currency),
  account_number: null,
  beneficiary: null,
  wallet_status: team.kyc_verified ? 'ACTIVE' : 'PENDING',
  wallet_id: null,
  created_at: wireTime(team.created_at),
  updated_at: wireTime(team.updated_at),
})

/** Only wallets include a balance. */
function olderView(look: Look, channel: ChannelRow): OlderPaymentChannel {
  const held = balanceOfChannel(look, channel)
  return {
    ...channelView(channel),
    ...(held && {
      balance_plain: {
        last_balance: toMajor(held.last_balance, held.currency),
        balance: toMajor(held.balance, held.currency),
        last_reference: held.last_reference,
      },
    }),
  }
}

const CURRENCY = 'KES'

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
