import * as z from 'zod'
import type { Issue } from '../../lib/text/validation-messages.ts'
import { moneyOperations } from '../operations.ts'
import { duration, milliseconds, oneOf, timeText, words, yes } from '../words.ts'
import type { Where, Word } from './word.ts'

const schema = () =>
  z.array(
    words({
      after: duration(),
      bankingDay: yes()
        .optional()
        .describe('Where that is a weekend of the country, it happens at nine on the Monday after.'),
      status: oneOf('a later status', ['success', 'reversed']),
    }),
    { error: 'must be a list such as [{ after: 10m, status: reversed }]' },
  )

type Later = z.infer<ReturnType<typeof schema>>

export const later: Word<typeof schema, 'later'> = {
  description: 'What happens after it has ended, each counted from there.',
  schema,
  example: '[{ after: 10m, status: reversed }]',
  about: 'result',
  operations: moneyOperations,
  part: 'later',
  compile: (written) =>
    written.map(({ after, bankingDay, status }) => ({
      after: milliseconds(after),
      status,
      ...(bankingDay && { banking_day: true }),
    })),
  describe: (later) =>
    later.map(
      ({ after, status, banking_day }) =>
        `then ${status} after ${timeText(after)}${banking_day ? ', on a banking day' : ''}`,
    ),
  check: checkLater,
}

/** A success is reversed, a failure succeeds late, and what stays queued comes to neither. */
function checkLater(later: Later, { path, then: { settle } }: Where): readonly Issue[] {
  if (settle?.never) {
    const message = 'later and settle never exclude each other: it has no end to count from'
    return [{ path, on_key: true, message }]
  }
  const fails = settle?.status === 'failed'
  const [first] = later.toSorted((a, b) => milliseconds(a.after) - milliseconds(b.after))
  if (!first || (first.status === 'success') === fails) return []
  const message = fails
    ? 'a failure cannot be reversed; its later status is success'
    : 'a success cannot succeed again; its later status is reversed'
  return [{ path: [...path, later.indexOf(first), 'status'], message }]
}
