import * as z from 'zod'
import type { Issue } from '../../lib/text/validation-messages.ts'
import { kycOperations } from '../operations.ts'
import { duration, milliseconds, oneOf, text, words } from '../words.ts'
import type { Where, Word } from './word.ts'

const schema = () =>
  z.union(
    [
      z.literal('never'),
      z
        .array(
          words({
            status: oneOf('a state of a review', ['in_review', 'approved', 'rejected']),
            after: duration().describe('How long after the submission.'),
            reasons: z.array(text(), { error: 'must be a list of texts' }).optional(),
          }),
        )
        .min(1, { error: 'must have at least one state, or be never' }),
    ],
    { error: 'must be never, or a list such as [{ status: approved, after: 5s }]' },
  )

type Review = z.infer<ReturnType<typeof schema>>

export const review: Word<typeof schema, 'review'> = {
  description: 'How a KYC submission is reviewed.',
  schema,
  example: '[{ status: in_review, after: 5s }, { status: approved, after: 10s }]',
  about: 'result',
  operations: kycOperations,
  part: 'review',
  compile: (written) =>
    written === 'never'
      ? []
      : written.map(({ status, after, reasons = [] }) => ({ status, after: milliseconds(after), reasons })),
  describe: (review) => [review.map(({ status }) => status).join(' then ') || 'review never ends'],
  check: checkReview,
}

function checkReview(review: Review, { path }: Where): readonly Issue[] {
  if (review === 'never') return []
  const message = 'reasons are only for status: rejected'
  return review.flatMap(({ status, reasons }, index) =>
    reasons && status !== 'rejected' ? [{ path: [...path, index, 'reasons'], on_key: true, message }] : [],
  )
}
