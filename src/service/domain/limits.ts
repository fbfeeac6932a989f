import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import type { TierLimits } from '../../generated/control/types.ts'
import type { Look, Tx } from './context.ts'
import { invalid } from './errors.ts'
import { moneyText, fromShillings } from './money.ts'

/** Open-points, "KYC" (figures assumed; that the tier governs is documented). */
export const defaultTiers: readonly TierLimits[] = [
  { collects_into_wallet: false, pays_out: false, per_transaction: 10_000, per_day: 50_000 },
  { collects_into_wallet: true, pays_out: false, per_transaction: 50_000, per_day: 100_000 },
  { collects_into_wallet: true, pays_out: true, per_transaction: 150_000, per_day: 300_000 },
  { collects_into_wallet: true, pays_out: true, per_transaction: 1_000_000, per_day: 5_000_000 },
]

type Direction = TransactionRow['direction']

/** A movement of money that the limits are checked for; `amount` in minor units. */
export interface Movement {
  readonly direction: Direction
  readonly into_channel: boolean
  readonly amount: number
  readonly currency: string
}

const DAY = 86_400_000
const dayOf = (at: number) => Math.floor(at / DAY)
const usageId = (team: number, { direction, currency }: Pick<Movement, 'direction' | 'currency'>) =>
  `${team}:${direction}:${currency}`

const tierOf = (look: Look, tier: number) => look.settings.tiers[tier] ?? look.settings.tiers.at(-1)!

/**
 * Checks a movement against the limits of the Team's tier and counts it towards those of the day (UTC), which pay-ins and
 * pay-outs have apart.
 * @throws ServiceError naming tier, limit and amount
 */
export function useAllowance(tx: Tx, team: TeamRow, movement: Movement): void {
  const limits = tierOf(tx, team.kyc_tier)
  const { amount, currency } = movement
  const money = (minor: number) => moneyText(minor, currency)
  const tier = () => `KYC tier ${team.kyc_tier} of account ${team.id}`

  if (movement.direction === 'payout' && !limits.pays_out)
    throw invalid(
      `${tier()} does not allow payouts of ${money(amount)}; payouts need tier ${firstTier(tx, 'pays_out')}`,
    )
  if (movement.direction === 'payin' && !movement.into_channel && !limits.collects_into_wallet)
    throw invalid(
      `${tier()} does not allow collecting ${money(amount)} into the wallet; that needs tier ${firstTier(tx, 'collects_into_wallet')}, or a channel_id`,
    )

  const perTransaction = fromShillings(limits.per_transaction, currency)
  if (amount > perTransaction)
    throw invalid(
      `amount ${money(amount)} is above the limit of ${money(perTransaction)} a transaction for ${tier()}`,
    )

  const id = usageId(team.id, movement)
  const day = dayOf(tx.now)
  const last = tx.rows.get('usage', id)
  const used = last?.day === day ? last.amount : 0
  const perDay = fromShillings(limits.per_day, currency)
  if (used + amount > perDay)
    throw invalid(
      `amount ${money(amount)} with ${money(used)} already used today is above the limit of ${money(perDay)} a day for ${tier()}`,
    )
  tx.rows.put('usage', { id, day, amount: used + amount })
}

/** What a Team may move in its currency, and what it moved today (UTC) in one direction; minor units. */
export function allowanceOf(look: Look, { id, kyc_tier }: TeamRow, currency: string) {
  const limits = tierOf(look, kyc_tier)
  const usedToday = (direction: Direction): number => {
    const last = look.rows.get('usage', usageId(id, { direction, currency }))
    return last?.day === dayOf(look.now) ? last.amount : 0
  }
  return {
    limits,
    per_transaction: fromShillings(limits.per_transaction, currency),
    per_day: fromShillings(limits.per_day, currency),
    usedToday,
  }
}

/** Whether the Team's tier lets it collect into its wallet. */
export const collectsIntoWallet = (look: Look, team: TeamRow): boolean =>
  tierOf(look, team.kyc_tier).collects_into_wallet

/** Takes a failed transaction off the day that it was accepted on, unless a later day has begun to count. */
export const returnAllowance = (tx: Tx, row: TransactionRow): void => addToDay(tx, row, -row.amount)

/** Counts a transaction that failed and then succeeded towards the day that it was accepted on, whatever the limit. */
export const countAgain = (tx: Tx, row: TransactionRow): void => addToDay(tx, row, row.amount)

function addToDay(tx: Tx, row: TransactionRow, amount: number): void {
  const used = tx.rows.get('usage', usageId(row.account_id, row))
  if (used?.day !== dayOf(row.created_at)) return
  tx.rows.put('usage', { ...used, amount: Math.max(0, used.amount + amount) })
}

const firstTier = (look: Look, ability: 'pays_out' | 'collects_into_wallet') =>
  look.settings.tiers.findIndex((tier) => tier[ability])
