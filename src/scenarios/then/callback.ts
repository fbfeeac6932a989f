import * as z from 'zod'
import { FASTEST_PACE, SLOWEST_PACE } from '../../lib/text/duration.ts'
import type { CallbackPlan } from '../../service/vocabulary/outcome.ts'
import {
  callbackFaults,
  callbackMethods,
  MOST_PADDING,
  retryProfiles,
} from '../../service/vocabulary/terms.ts'
import { type Issue, onKey } from '../../lib/text/validation-messages.ts'
import { moneyOperations } from '../operations.ts'
import {
  duration,
  fields,
  milliseconds,
  numberWithin,
  oneOf,
  text,
  timeText,
  whole,
  words,
  yes,
} from '../../lib/text/word-schemas.ts'
import { type Where, word } from './word.ts'

/** Short forms of callback plans, for files and the preference `callback`. */
export const callbackWords = [
  'duplicate',
  'out-of-order',
  'first',
  'late',
  'drop',
  ...callbackFaults,
] as const
type CallbackWord = (typeof callbackWords)[number]

/** The delay of a late callback in milliseconds. */
const LATE = 600_000

/** Returns the plan of a short form. */
export function callbackPlanOf(word: CallbackWord): CallbackPlan {
  if (word === 'duplicate') return { times: 2 }
  if (word === 'out-of-order') return { out_of_order: true }
  if (word === 'first') return { first: true }
  if (word === 'late') return { after: LATE }
  if (word === 'drop') return { drop: true }
  return { fault: word }
}

const headerText = () =>
  text().regex(/^[\x20-\x7e]{1,255}$/, {
    error: 'must be at most 255 characters of ASCII, without line breaks',
  })

const map = () =>
  words({
    after: duration().optional().describe('Time after the final state.'),
    times: whole(1, 100).optional().describe('How many times the same callback is sent.'),
    concurrent: yes().optional().describe('Sends all of them at the same time instead of one after another.'),
    first: yes().optional().describe('Arrives before the response to the request.'),
    drop: yes().optional().describe('Is never sent.'),
    outOfOrder: yes().optional().describe('Callbacks of successive results arrive newest first.'),
    shape: oneOf('a shape', ['flat', 'nested']).optional(),
    fault: oneOf('a fault of callbacks', callbackFaults).optional(),
    set: fields().optional().describe('Fields of the body to replace or add.'),
    method: oneOf('a method for callbacks', callbackMethods).optional().describe('Instead of POST.'),
    contentType: headerText().optional().describe('Instead of `application/json`.'),
    padding: whole(1, MOST_PADDING).optional().describe('Number of spaces after the body.'),
    retry: words({
      profile: oneOf('a retry profile', retryProfiles).optional(),
      speed: numberWithin(SLOWEST_PACE, FASTEST_PACE)
        .optional()
        .describe('Divides every pause by this factor.'),
    })
      .optional()
      .describe('How the callback is retried when the receiver fails.'),
  })

const schema = () =>
  z.union([oneOf('a word for callbacks', callbackWords), map()], {
    error: 'must be a word such as duplicate, or a map such as { times: 2 }',
  })

type Callback = z.infer<ReturnType<typeof schema>>

export const callback = word({
  description: 'When and how the callback is sent.',
  schema,
  example: '{ times: 2, after: 5s }',
  about: 'result',
  operations: moneyOperations,
  part: 'callback',
  compile: planOf,
  describe: (plan) => [planText(plan)],
  check: checkCallback,
})

function planOf(written: Callback): CallbackPlan {
  if (typeof written === 'string') return callbackPlanOf(written)
  const { after, outOfOrder, contentType, ...rest } = written
  return { ...rest, after: milliseconds(after), out_of_order: outOfOrder, content_type: contentType }
}

function planText(plan: CallbackPlan): string {
  const { after, times, concurrent, first, drop, out_of_order, shape, fault, retry } = plan
  const { set, method, content_type, padding } = plan
  if (drop) return 'no callback'
  const how = [
    first && 'before the response',
    out_of_order && 'out of order',
    times !== undefined && `${times} times${concurrent ? ' at the same time' : ''}`,
    after !== undefined && `after ${timeText(after)}`,
    shape,
    fault,
    set && `with other ${Object.keys(set).join(', ')}`,
    method && `by ${method}`,
    content_type && `as ${content_type}`,
    padding !== undefined && `with ${padding} trailing spaces`,
    retry && 'with other retries',
  ].filter(Boolean)
  return `callback ${how.join(' ')}`
}

/** Words that only apply to a callback that is sent. */
const sendingWords = [
  'after',
  'times',
  'concurrent',
  'first',
  'outOfOrder',
  'fault',
  'set',
  'method',
  'contentType',
  'padding',
] as const

function checkCallback(written: Callback, { path, then: { settle } }: Where): readonly Issue[] {
  const inOneWord = typeof written === 'string'
  const callback: Exclude<Callback, string> | { readonly [word: string]: true } = inOneWord
    ? { [written]: true }
    : written
  const others = sendingWords.filter((word) => callback[word] !== undefined)
  if (callback['drop'] && others.length > 0)
    return onKey([...path, 'drop'], `drop and ${others[0]} exclude each other`)
  if (callback['concurrent'] && (callback['times'] ?? 1) === 1)
    return onKey([...path, 'concurrent'], 'concurrent needs times, such as { times: 10, concurrent: true }')
  if (callback['first'] && (settle?.after ?? settle?.afterStatusQueries ?? settle?.never) !== undefined)
    return onKey(
      inOneWord ? path : [...path, 'first'],
      'first settles before the response; remove after, afterStatusQueries and never',
    )
  return []
}
