/**
 * What happens in the field to payments that no scenario decides: failures by rail, outages of networks, batches of
 * banks, and callbacks that are late or repeated. All figures are assumed; the world's seed determines every draw.
 */
import type { Random } from '../../../lib/random/random.ts'
import type { TransactionRow } from '../../../storage/store/payment-rows.ts'
import type { Rail } from '../../vocabulary/rails.ts'
import type { Reason } from '../../vocabulary/reasons.ts'
import type { Direction } from '../../vocabulary/terms.ts'

interface Failures {
  /** The share of payments that fail. */
  readonly rate: number
  /** Relative numbers of failures. */
  readonly reasons: { readonly [R in Reason]?: number }
}

const failures: { readonly [R in Rail]: { readonly [D in Direction]: Failures } } = {
  momo: {
    payin: {
      rate: 0.13,
      reasons: {
        cancelled: 34,
        unreachable: 24,
        insufficient_funds: 20,
        wrong_pin: 8,
        expired: 6,
        prompt_not_sent: 3,
        subscriber_locked: 3,
        daily_limit: 1,
        operator_error: 1,
      },
    },
    payout: {
      rate: 0.04,
      reasons: {
        not_registered: 34,
        recipient_limit: 26,
        recipient_not_found: 20,
        operator_error: 12,
        operator_busy: 8,
      },
    },
  },
  bank: {
    payin: { rate: 0.09, reasons: { expired: 50, insufficient_funds: 40, operator_error: 10 } },
    payout: {
      rate: 0.05,
      reasons: { account_not_found: 44, account_closed: 14, name_mismatch: 24, operator_error: 18 },
    },
  },
  card: {
    payin: {
      rate: 0.17,
      reasons: {
        insufficient_funds: 34,
        card_declined: 24,
        not_authenticated: 18,
        incorrect_cvc: 8,
        card_limit: 6,
        card_expired: 5,
        issuer_unavailable: 4,
        fraud_suspected: 1,
      },
    },
    payout: { rate: 0, reasons: {} },
  },
}

type Paid = Pick<TransactionRow, 'id' | 'rail' | 'direction'>

/** Returns why a payment fails; undefined for the others. */
export function failureOf(random: Random, { id, rail, direction }: Paid): Reason | undefined {
  const { rate, reasons } = failures[rail][direction]
  if (random.fraction('field fails', id) >= rate) return undefined
  const list = Object.entries(reasons) as [Reason, number][]
  let left = random.fraction('field reason', id) * list.reduce((sum, [, weight]) => sum + weight, 0)
  return (list.find(([, weight]) => (left -= weight) < 0) ?? list[0])?.[0]
}
