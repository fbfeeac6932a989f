import { createChannel, findChannel } from '../../domain/channels.ts'
import type { Look } from '../../domain/context.ts'
import { toMajor } from '../../domain/money.ts'
import { noneLeft } from '../../domain/errors.ts'
import {
  balanceOfChannel,
  findWallet,
  holdingsOf,
  type Wallet,
  type WalletType,
} from '../../domain/wallets.ts'
import { wireTime } from '../../domain/wire-time.ts'
import type { OlderPaymentChannel, Wallet as WalletView } from '../../../generated/extensions/schemas.ts'
import type { ExtensionHandlers } from '../../../http/handler.ts'
import type { ChannelRow } from '../../../storage/store/rows.ts'
import { channelView } from '../views.ts'

export const wallets = {
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
} satisfies Partial<ExtensionHandlers>

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
