/** Wallets as the API's older generation shows them. */
import type { GetWalletQuery } from '../../generated/extensions/requests.ts'
import type { ChannelRow, TeamRow } from '../../storage/store/rows.ts'
import { requireTeam } from './access.ts'
import { lastOf } from './account-transactions.ts'
import type { Caller, Look } from './context.ts'
import { ServiceError } from './errors.ts'
import { balanceOf, teamAccount } from './ledger.ts'
import { collectsIntoWallet } from './limits.ts'
import { currencies } from './money.ts'
import { noneLeft } from './request-fields.ts'

export type WalletType = GetWalletQuery['wallet_type']

const pots = { service_wallet: 'service_wallet', payment_wallet: 'wallet' } as const

export interface Wallet {
  readonly team: TeamRow
  /** Minor units of the Team's currency. */
  readonly balance: number
}

/** A wallet of a Team. @throws ServiceError 404 for a Team that the caller does not see, and for a wallet that it has not */
export function findWallet(look: Look, caller: Caller, query: GetWalletQuery): Wallet {
  const { wallet_type, account_id, ...rest } = query
  noneLeft(rest)
  const team = requireTeam(look, caller, account_id, 'read')
  const account = teamAccount(team.id, pots[wallet_type], team.currency)
  const exists =
    wallet_type === 'service_wallet' ||
    look.rows.get('balances', account) !== undefined ||
    collectsIntoWallet(look, team)
  // The text is observed.
  if (!exists) throw new ServiceError('resource_not_found', 'wallet not found')
  return { team, balance: balanceOf(look, account) }
}

export interface CurrencyHoldings {
  readonly currency: string
  /** Each in minor units. */
  readonly wallet: number
  readonly service_wallet: number
  readonly savings: number
  readonly in_transit: number
}

/** What a Team holds, its own currency first, then each that was booked. @throws ServiceError 404 */
export function holdingsOf(look: Look, caller: Caller, account_id: number): readonly CurrencyHoldings[] {
  const team = requireTeam(look, caller, account_id, 'read')
  const others = currencies.filter((currency) => currency !== team.currency && isHeld(look, team, currency))
  return [team.currency, ...others].map((currency) => {
    const held = (pot: keyof Omit<CurrencyHoldings, 'currency'>) =>
      balanceOf(look, teamAccount(team.id, pot, currency))
    return {
      currency,
      wallet: held('wallet'),
      service_wallet: held('service_wallet'),
      savings: held('savings'),
      in_transit: held('in_transit'),
    }
  })
}

const isHeld = (look: Look, { id }: TeamRow, currency: string): boolean =>
  (['wallet', 'savings'] as const).some((pot) => look.rows.get('balances', teamAccount(id, pot, currency)))

/** What the wallet behind a channel holds, and held before the last row that was booked to it; minor units of `currency`. */
export interface ChannelBalance {
  readonly currency: string
  readonly last_balance: number
  readonly balance: number
  readonly last_reference: string
}

/** The balance of a channel that is a wallet: of the Team's payment wallet. Undefined for other channels. */
export function balanceOfChannel(look: Look, channel: ChannelRow): ChannelBalance | undefined {
  const team = channel.channel_type === 'wallet' ? look.rows.get('teams', channel.account_id) : undefined
  if (!team) return undefined
  const { currency } = team
  const balance = balanceOf(look, teamAccount(team.id, 'wallet', currency))
  const last = lastOf(look, team.id, 'wallet')
  const transaction = last?.transaction_id ? look.rows.get('transactions', last.transaction_id) : undefined
  return {
    currency,
    last_balance: last ? last.wallet_balance - changeOf(last) : balance,
    balance,
    last_reference: transaction?.reference ?? '',
  }
}

/** What a row did to its wallet. */
const changeOf = ({ transaction_type, amount }: NonNullable<ReturnType<typeof lastOf>>) =>
  transaction_type === 'outbound_payment' || transaction_type === 'service_charge' ? -amount : amount
