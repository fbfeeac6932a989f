/** What can be wrong with callbacks in one word, for scenario files and the preference `callback` alike. */
import { callbackFaults, type CallbackPlan } from '../terms.ts'

/** How late a late callback is. */
const LATE = 600_000

export const callbackWords = [
  'duplicate',
  'out-of-order',
  'first',
  'late',
  'drop',
  ...callbackFaults,
] as const
type CallbackWord = (typeof callbackWords)[number]

/** The plan that a word stands for. */
export function callbackPlanOf(word: CallbackWord): CallbackPlan {
  if (word === 'duplicate') return { times: 2 }
  if (word === 'out-of-order') return { out_of_order: true }
  if (word === 'first') return { first: true }
  if (word === 'late') return { after: LATE }
  if (word === 'drop') return { drop: true }
  return { fault: word }
}
