import type { FundRequest } from '../../generated/control/types.ts'
import { requestedTeam, requireAbility, requireTeam } from './access.ts'
import { listFunding, repayDebt, useAllowance } from './wallets.ts'
import type { Caller, Look, Tx } from './context.ts'
import { Faults, faultless, noneLeft, type Readable } from './errors.ts'
import { balanceOf, outsideAccount, post, teamAccount } from './ledger.ts'
import { currencies, moneyText, readMoney } from './money.ts'
import type { TopUpRequest } from '../../generated/extensions/types.ts'
import type { Draft, TransactionRow } from '../../storage/store/payment-rows.ts'
import { readShillings, requireKenyan } from './collections.ts'
import { readKenyanMobile } from './countries/countries.ts'
import { accept } from './transactions.ts'

/** Maximum sum of outside money per currency, in minor units, so that every sum of the ledger stays exact. */
const MOST_OUTSIDE = 1_000_000_000_000_000

export type Funding = ReturnType<typeof fundTeam>

/**
 * Adds outside money to a Team's wallet, in minor units.
 * @throws {ServiceError} 404 if the caller cannot see the Team; 400 if the amount is invalid, exceeds the ledger, or
 * the wallet does not hold the currency
 */
export function fundTeam(tx: Tx, caller: Caller, account_id: number, body: FundRequest) {
  const { wallet, amount: major, currency: requested, ...rest } = body
  noneLeft(rest)
  const team = requireTeam(tx, caller, account_id, 'move_money', 'team')
  const currency = requested ?? team.currency
  const held = wallet === 'service_wallet' ? [team.currency] : currencies
  const faults = new Faults()
  if (!held.includes(currency)) faults.refuseWord('currency', currency, held)
  const amount = faults.any ? 0 : readMoney(faults, 'amount', major, currency)
  faults.throwAny()
  const outside = outsideAccount(currency)
  const room = MOST_OUTSIDE + balanceOf(tx, outside)
  if (amount > room) faults.refuse('amount', major, `must be at most ${moneyText(room, currency)}`)
  faults.throwAny()
  const account = teamAccount(team.id, wallet, currency)
  const lines = [
    { account: outside, amount: -amount },
    { account, amount },
  ]
  post(tx, { kind: 'funding', currency, transaction_id: null, lines })
  repayDebt(tx, team.id, currency)
  listFunding(tx, team, wallet, amount, currency)
  const posting = tx.rows.get('counters', 'posting')!.value
  return { account_id: team.id, currency, amount, balance: balanceOf(tx, account), posting }
}

/** The provider of a prompt that names none (assumed). */
const PROVIDER = 'm-pesa'

/** Accepts a top-up of a Team's service wallet, collected by a phone prompt without cost (assumed). */
export function requestTopUp(tx: Tx, caller: Caller, input: TopUpRequest): TransactionRow {
  const { requested, party, amount } = faultless((faults) => readTopUp(tx, caller, input, faults))
  const team = requireAbility(requested, 'move_money')
  const draft: Draft = {
    operation: 'topUpServiceWallet',
    direction: 'payin',
    rail: 'momo',
    account_id: team.id,
    channel_id: null,
    is_offline: false,
    amount,
    cost: 0,
    amount_to_save: 0,
    currency: team.currency,
    country: 'KE',
    provider: PROVIDER,
    party,
    external_reference: '',
    callback_url: '',
    redirect_url: '',
  }
  // Teams of any tier must be able to fill their service wallet, so the limits of channels apply.
  useAllowance(tx, team, draft, true)
  return accept(tx, draft)
}

export function readTopUp(
  look: Look,
  caller: Caller,
  { account_id, amount, phone_number, ...rest }: Readable<TopUpRequest>,
  faults: Faults,
) {
  noneLeft(rest)
  const requested = requestedTeam(look, caller, account_id)
  requireKenyan(faults, requested)
  return {
    requested,
    party: readKenyanMobile(faults, 'phone_number', phone_number),
    amount: readShillings(faults, amount),
  }
}
