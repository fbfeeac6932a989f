import type { FundTeamBody } from '../../generated/control/requests.ts'
import { requireTeam } from './access.ts'
import { listFunding } from './account-transactions.ts'
import type { Caller, Tx } from './context.ts'
import { Faults } from './faults.ts'
import { balanceOf, outsideAccount, post, teamAccount } from './ledger.ts'
import { currencies, moneyText, readMoney } from './money.ts'
import { noneLeft } from './request-fields.ts'

/** What may have come in from outside in one currency, minor units: every sum of the ledger stays exact. */
const MOST_OUTSIDE = 1_000_000_000_000_000

export interface Funding {
  readonly account_id: number
  readonly currency: string
  /** Minor units. */
  readonly amount: number
  readonly balance: number
  /** The id of its posting. */
  readonly posting: number
}

/**
 * Books money from outside into a pot of a Team, as whoever tops it up.
 * @throws ServiceError 404 for a Team that the caller does not see; 400 for an amount that its currency does not have or the
 *   ledger has no room for, and for a currency that the pot does not hold
 */
export function fundTeam(tx: Tx, caller: Caller, account_id: number, body: FundTeamBody): Funding {
  const { wallet, amount: major, currency: asked, ...rest } = body
  noneLeft(rest)
  const team = requireTeam(tx, caller, account_id, 'move_money', 'team')
  const currency = asked ?? team.currency
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
  listFunding(tx, team, wallet, amount, currency)
  const posting = tx.rows.get('counters', 'posting')!.value
  return { account_id: team.id, currency, amount, balance: balanceOf(tx, account), posting }
}
