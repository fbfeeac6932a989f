/** The reasons that the dashboard offers to end a transaction by hand: those its rail and direction usually has. */
import type { SimulateTransactionRequest } from '../../src/generated/control/types.ts'

export type Reason = NonNullable<SimulateTransactionRequest['reason']>

const everywhere = ['insufficient_funds', 'expired', 'operator_error', 'operator_busy'] as const
const recipient = ['recipient_not_found', 'below_minimum', 'above_maximum', 'duplicate'] as const
const ofPhones = ['wrong_pin', 'subscriber_locked', 'daily_limit'] as const

/** In order of frequency. */
const usual: { readonly [way: string]: readonly Reason[] } = {
  'momo payin': ['cancelled', 'unreachable', 'prompt_not_sent', ...ofPhones, ...everywhere],
  'momo payout': ['not_registered', 'recipient_limit', ...recipient, ...everywhere],
  'bank payin': ['cancelled', 'daily_limit', ...everywhere],
  'bank payout': ['account_not_found', 'account_closed', 'name_mismatch', ...recipient, ...everywhere],
  'card payin': ['card_declined', 'not_authenticated', 'card_expired', 'card_limit', ...everywhere],
}

export const reasonsFor = (rail: string, direction: string): readonly Reason[] =>
  usual[`${rail} ${direction}`] ?? everywhere
