import type { z } from 'zod'
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

type LookUp = z.infer<ReturnType<typeof schema>>

export const lookUp: Word<typeof schema> = {
  description: 'What status look-ups tell once it is final, whatever the callback told.',
  schema,
  example: '{ status: failed, reason: expired }',
  about: 'result',
  operations: moneyOperations,
  compile: (written: LookUp) => ({ plan: { look_up: written } }),
  describe: ({ plan }) => (plan?.look_up ? [`look-ups tell ${told(plan.look_up)}`] : []),
  check: noIssues,
}

const told = ({ status, reason, set }: LookUpPlan) =>
  [status, reason, set && `other ${Object.keys(set).join(', ')}`].filter(Boolean).join(', ')
