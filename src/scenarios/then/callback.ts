import * as z from 'zod'
import { FASTEST_PACE, SLOWEST_PACE } from '../../duration.ts'
import { callbackFaults, type CallbackPlan, retryProfiles } from '../../terms.ts'
import type { Issue } from '../../validation-messages.ts'
import { moneyOperations } from '../operations.ts'
import { duration, milliseconds, numberWithin, oneOf, timeText, whole, words, yes } from '../words.ts'
import type { Where, Word } from './word.ts'

/** What can happen to callbacks, in one word: for files and for the preference `callback` alike. */
export const callbackWords = [
  'duplicate',
  'out-of-order',
  'first',
  'late',
  'drop',
  ...callbackFaults,
] as const
type CallbackWord = (typeof callbackWords)[number]

/** How late a late callback is. */
const LATE = 600_000

/** The plan that a word stands for. */
export function callbackPlanOf(word: CallbackWord): CallbackPlan {
  if (word === 'duplicate') return { times: 2 }
  if (word === 'out-of-order') return { out_of_order: true }
  if (word === 'first') return { first: true }
  if (word === 'late') return { after: LATE }
  if (word === 'drop') return { drop: true }
  return { fault: word }
}

const map = () =>
  words({
    after: duration().optional().describe('How long after the final state.'),
    times: whole(1, 100).optional().describe('How often the same callback is sent.'),
    first: yes().optional().describe('It arrives before the answer to the request leaves.'),
    drop: yes().optional().describe('It is never sent.'),
    outOfOrder: yes().optional().describe('Those of successive results arrive newest first.'),
    shape: oneOf('a shape', ['flat', 'nested']).optional(),
    fault: oneOf('a fault of callbacks', callbackFaults).optional(),
    retry: words({
      profile: oneOf('a retry profile', retryProfiles).optional(),
      speed: numberWithin(SLOWEST_PACE, FASTEST_PACE).optional().describe('Divides every pause.'),
    })
      .optional()
      .describe('How it is sent again when the receiver fails.'),
  })

const schema = () =>
  z.union([oneOf('a word for callbacks', callbackWords), map()], {
    error: 'must be a word such as duplicate, or a map such as { times: 2 }',
  })

type Callback = z.infer<ReturnType<typeof schema>>

export const callback: Word<typeof schema> = {
  description: 'When and how the result is told.',
  schema,
  example: '{ times: 2, after: 5s }',
  about: 'result',
  operations: moneyOperations,
  compile: (written) => ({ plan: { callback: planOf(written) } }),
  describe: ({ plan }) => (plan?.callback ? [planText(plan.callback)] : []),
  check: checkCallback,
}

function planOf(written: Callback): CallbackPlan {
  if (typeof written === 'string') return callbackPlanOf(written)
  const { after, outOfOrder, ...rest } = written
  return { ...rest, after: milliseconds(after), out_of_order: outOfOrder }
}

function planText({ after, times, first, drop, out_of_order, shape, fault, retry }: CallbackPlan): string {
  if (drop) return 'no callback'
  const how = [
    first && 'before the answer',
    out_of_order && 'out of order',
    times !== undefined && `${times} times`,
    after !== undefined && `after ${timeText(after)}`,
    shape,
    fault,
    retry && 'with retries of its own',
  ].filter(Boolean)
  return `callback ${how.join(' ')}`
}

function checkCallback(written: Callback, { path, then: { settle } }: Where): readonly Issue[] {
  const inOneWord = typeof written === 'string'
  const callback: Exclude<Callback, string> | { readonly [word: string]: true } = inOneWord
    ? { [written]: true }
    : written
  const others = (['after', 'times', 'first', 'outOfOrder', 'fault'] as const).filter(
    (word) => callback[word] !== undefined,
  )
  if (callback['drop'] && others.length > 0)
    return [{ path: [...path, 'drop'], on_key: true, message: `drop and ${others[0]} exclude each other` }]
  if (callback['first'] && (settle?.after ?? settle?.afterPolls ?? settle?.never) !== undefined)
    return [
      {
        path: inOneWord ? path : [...path, 'first'],
        on_key: true,
        message: 'first settles before the answer; leave after, afterPolls and never out',
      },
    ]
  return []
}
