import type { z } from 'zod'
import { reasonNames, reasonsOf } from '../../service/vocabulary/reasons.ts'
import type { Plan } from '../../service/vocabulary/outcome.ts'
import type { Issue } from '../../lib/text/validation-messages.ts'
import { moneyOperations } from '../operations.ts'
import { duration, milliseconds, oneOf, timeText, unknown, whole, words, yes } from '../words.ts'
import type { Where, Word } from './word.ts'

const schema = () =>
  words({
    after: duration().optional().describe('How long after its acceptance.'),
    afterPolls: whole(1, 1_000).optional().describe('At this status look-up, counted from 1.'),
    never: yes().optional().describe('It stays queued.'),
    status: oneOf('a final status', ['success', 'failed']).optional(),
    reason: oneOf('a reason', reasonNames).optional().describe('Why it fails.'),
  })

type Settle = z.infer<ReturnType<typeof schema>>

export const settle: Word<typeof schema, 'settle'> = {
  description: 'How the transaction ends.',
  schema,
  example: '{ after: 3s, status: failed, reason: expired }',
  about: 'result',
  operations: moneyOperations,
  part: 'settle',
  compile: ({ status, reason, after, afterPolls, never }) => ({
    status,
    reason,
    after: milliseconds(after),
    after_polls: afterPolls,
    never,
  }),
  describe: (settle) => [endText(settle)],
  check: (written, where) => [...checkForm(written, where), ...checkReason(written, where)],
}

function endText({ status, reason, after, after_polls, never }: NonNullable<Plan['settle']>): string {
  if (never) return 'stays queued'
  const end = status === 'failed' ? `fails${reason ? ` (${reason})` : ''}` : 'succeeds'
  if (after_polls !== undefined) return `${end} at look-up ${after_polls}`
  return after === undefined ? end : `${end} after ${timeText(after)}`
}

function checkForm(settle: Settle, { path }: Where): readonly Issue[] {
  const onKey = (word: string, message: string) => [{ path: [...path, word], on_key: true, message }]
  const ways = (['after', 'afterPolls', 'never'] as const).filter((word) => settle[word] !== undefined)
  if (ways.length > 1) return onKey(ways[1]!, `${ways.join(' and ')} exclude each other; keep one`)
  if (settle.never && (settle.status ?? settle.reason))
    return onKey('never', 'never has no status and no reason')
  if (settle.status === 'failed' && !settle.reason)
    return [{ path: [...path, 'status'], message: 'status failed needs a reason' }]
  if (settle.reason && settle.status !== 'failed') return onKey('reason', 'a reason needs status: failed')
  return []
}

/** A payout does not fail for a reason that only payers have. */
function checkReason({ reason }: Settle, { path, direction }: Where): readonly Issue[] {
  if (!reason || !direction) return []
  const known = reasonsOf(direction)
  if (known.includes(reason)) return []
  return [{ path: [...path, 'reason'], message: unknown(reason, `a reason of a ${direction}`, known) }]
}
