import type { TopUpServiceWalletBody } from '../../generated/extensions/requests.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { askedTeam, requireAbility } from './access.ts'
import type { Caller, Look, Tx } from './context.ts'
import { Faults, type Readable } from './faults.ts'
import { readShillings, requireKenyan } from './kenya.ts'
import { useAllowance } from './limits.ts'
import { readKenyanMobile } from './phones.ts'
import { noneLeft } from './request-fields.ts'
import { accept } from './transactions.ts'

/** Whom a prompt goes through that names no provider (assumed). */
const PROVIDER = 'm-pesa'

/** Accepts a top-up of a Team's service wallet, which a prompt on a phone collects. It is free (assumed). */
export function requestTopUp(tx: Tx, caller: Caller, input: TopUpServiceWalletBody): TransactionRow {
  const faults = new Faults()
  const { asked, party, amount } = readTopUp(tx, caller, input, faults)
  faults.throwAny()
  const team = requireAbility(asked, 'move_money')
  // A Team of any tier needs a service wallet that is filled: it counts as money that goes into a channel.
  useAllowance(tx, team, { direction: 'payin', into_channel: true, amount, currency: team.currency })
  return accept(tx, {
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
  })
}

/** What a top-up's values come to; what is wrong with them goes to `faults`. */
export function readTopUp(
  look: Look,
  caller: Caller,
  { account_id, amount, phone_number, ...rest }: Readable<TopUpServiceWalletBody>,
  faults: Faults,
) {
  noneLeft(rest)
  const asked = askedTeam(look, caller, account_id)
  requireKenyan(faults, asked)
  return {
    asked,
    party: readKenyanMobile(faults, 'phone_number', phone_number),
    amount: readShillings(faults, amount),
  }
}
