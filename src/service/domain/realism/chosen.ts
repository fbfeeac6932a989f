import type { Reason } from '../../vocabulary/reasons.ts'
import type { Plan } from '../../vocabulary/outcome.ts'
import type { Look } from '../context.ts'

/** Whether operators and banks of a world refuse what real ones would. */
export const isRealistic = ({ settings }: Pick<Look, 'settings'>): boolean => settings.realism === 'realistic'

/** What a payment fails with whose prompt never came to the phone. */
const withoutPrompt: readonly Reason[] = [
  'subscriber_locked',
  'prompt_not_sent',
  'rule_limited',
  'daily_limit',
  'operator_busy',
]

/** Whether a payment is decided to fail before any prompt is on the phone. */
export const isWithoutPrompt = (plan: Plan | null): boolean => {
  const reason = plan?.settle?.reason
  return reason !== undefined && withoutPrompt.includes(reason)
}
