import { reasonNames } from '../../service/vocabulary/reasons.ts'
import type { LookUpPlan } from '../../service/vocabulary/outcome.ts'
import { moneyOperations } from '../operations.ts'
import { fields, oneOf, words } from '../words.ts'
import { noIssues, type Word } from './word.ts'

const statuses = ['queued', 'success', 'failed', 'reversed'] as const

const schema = () =>
  words({
    status: oneOf('a status of look-ups', statuses).optional(),
    reason: oneOf('a reason', reasonNames).optional(),
    set: fields().optional().describe('Fields of the answer that are otherwise, or are there besides.'),
  }).refine((written) => Object.keys(written).length > 0, { error: 'must have a status, a reason or set' })

export const lookUp: Word<typeof schema, 'look_up'> = {
  description: 'What status look-ups tell once it is final, whatever the callback told.',
  schema,
  example: '{ status: failed, reason: expired }',
  about: 'result',
  operations: moneyOperations,
  part: 'look_up',
  compile: (written) => written,
  describe: (lookUp) => [`look-ups tell ${told(lookUp)}`],
  check: noIssues,
}

const told = ({ status, reason, set }: LookUpPlan) =>
  [status, reason, set && `other ${Object.keys(set).join(', ')}`].filter(Boolean).join(', ')
