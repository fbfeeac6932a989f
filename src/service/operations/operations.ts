import type { ServiceHandlers } from '../../http/handler.ts'
import { networksOf } from '../domain/countries/networks.ts'
import { readCountry, requireCountry } from '../domain/countries/countries.ts'
import type { Country } from '../domain/countries/country.ts'
import { toMajor } from '../domain/money.ts'
import { byRail, type Rail, railNames, rails } from '../vocabulary/rails.ts'
import { noneLeft } from '../domain/errors.ts'
import { readCollection, requestCollection } from '../domain/collections.ts'
import { readGlobalPayment, requestGlobalPayment } from '../domain/global-payments.ts'
import { readWithdrawal, requestWithdrawal } from '../domain/payouts.ts'
import { statusResult } from '../domain/callbacks.ts'
import { countPoll, findTransaction, waitsForPolls } from '../domain/transactions.ts'
import type { GetTransactionStatusRequest } from '../../generated/service/types.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { checkoutPath } from '../../worlds/checkout-address.ts'
import { requireRole, requireTeam } from '../domain/access.ts'
import { createTeam, deleteTeam, readProfile, readTeam, readTeamChange, updateTeam } from '../domain/teams.ts'
import { accountView, channelView, kycView, pagination, profileView } from './views.ts'
import { inviteMember, removeMember } from '../domain/members.ts'
import { amendKyc, checkAmendment, checkKyc, submitKyc } from '../domain/kyc.ts'
import { listChannels } from '../domain/channels.ts'

export const operations: ServiceHandlers = {
  getUserProfile: {
    read(look, { caller, request }) {
      const profile = readProfile(look, caller, request.path.user_id)
      return { status: 200, body: { user_profile: profileView(profile) } }
    },
  },

  createAccount: {
    check: (_look, { request: { body = {} } }, faults) => void readTeam(body, faults),
    change(tx, { caller, request }) {
      return { status: 200, body: { account: accountView(tx, createTeam(tx, caller, request.body)) } }
    },
  },

  getAccount: {
    read(look, { caller, request }) {
      const team = requireTeam(look, caller, request.path.account_id, 'read')
      return { status: 200, body: { account: accountView(look, team) } }
    },
  },

  updateAccount: {
    check: (look, { caller, request: { body = {} } }, faults) =>
      void readTeamChange(look, caller, body, faults),
    change(tx, { caller, request }) {
      return { status: 200, body: { account: accountView(tx, updateTeam(tx, caller, request.body)) } }
    },
  },

  deleteAccount: {
    change(tx, { caller, request }) {
      const team = deleteTeam(tx, caller, request.path.account_id)
      return { status: 200, body: { account: accountView(tx, team) } }
    },
  },

  inviteMember: {
    check: (_look, { request: { body = {} } }, faults) => requireRole(faults, body.role_id),
    change(tx, { world, caller, request: { body }, origin }) {
      world.budget.takeNow('mails')
      inviteMember(tx, caller, { ...body, base_url: body.base_url ?? origin })
      return { status: 200, body: { success: true } }
    },
  },

  removeMember: {
    change(tx, { caller, request }) {
      const { account_id, user_id, ...rest } = request.query
      noneLeft(rest)
      removeMember(tx, caller, account_id, user_id)
      return { status: 200, body: { account_id, user_id } }
    },
  },

  submitKyc: {
    check: (look, { request: { body = {} } }, faults) => checkKyc(look, body, faults),
    change(tx, { caller, request }) {
      const { account_id, ...details } = request.body
      return { status: 200, body: { account_kyc: kycView(submitKyc(tx, caller, account_id, details)) } }
    },
  },

  amendKyc: {
    check(look, { request: { path = {}, body = {} } }, faults) {
      checkAmendment(look, path.id, body.id, body, faults)
    },
    change(tx, { caller, request }) {
      const { id: repeated, ...input } = request.body
      const amended = amendKyc(tx, caller, request.path.id, repeated, input)
      return { status: 200, body: { account_kyc: kycView(amended) } }
    },
  },

  listPaymentChannels: {
    read(look, { caller, request }) {
      const { page, per } = request.query
      const found = listChannels(look, caller, request.query)
      return {
        status: 200,
        body: {
          payment_channels: found.channels.map(channelView),
          pagination: pagination(found.count, page, per),
        },
      }
    },
  },

  discoverCountry: {
    check: (_look, { request: { query = {} } }, faults) => void readCountry(faults, 'country', query.country),
    read(_look, { request }) {
      const { country: code, ...rest } = request.query
      noneLeft(rest)
      const country = requireCountry(code)
      const { providers } = country
      return {
        status: 200,
        body: {
          rails: byRail((rail) => providers[rail].length > 0),
          merchant_id: '',
          has_networks: Object.keys(country.networks).length > 0,
          country: country.code,
          currency: country.currency,
          available_providers: byRail((rail) => [...providers[rail]]),
          provider_networks: networksByProvider(country),
        },
      }
    },
  },

  listTransactionProviders: {
    check: (_look, { request: { body = {} } }, faults) => void readCountry(faults, 'country', body.country),
    read(_look, { request }) {
      const { country: code, transaction_channel, request_type, ...rest } = request.body
      noneLeft(rest)
      const country = requireCountry(code)
      const asked = railNames.filter(
        (rail) =>
          (transaction_channel === undefined || rail === transaction_channel) &&
          (request_type !== 'withdrawal' || rails[rail].payouts_allowed),
      )
      return {
        status: 200,
        body: {
          country: country.code,
          currency: country.currency,
          providers: asked.flatMap((rail) => providersOn(country, rail)),
        },
      }
    },
  },

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
}

const networksByProvider = ({ networks }: Country) =>
  Object.fromEntries(Object.entries(networks).map(([provider, list]) => [provider, [...list]]))

function providersOn(country: Country, rail: Rail) {
  const networks = networksOf(country, rail)
  return country.providers[rail].map((provider) => {
    const own = networks.filter((network) => country.networks[provider]!.includes(network))
    return { provider, provider_id: own[0]!.provider_id, transaction_channel: rail, networks: own }
  })
}

function requestId({ request_id, ...rest }: GetTransactionStatusRequest): string {
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
