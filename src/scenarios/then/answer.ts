import { fields, words } from '../words.ts'
import { noIssues, type Word } from './word.ts'

const schema = () => words({ set: fields().describe('These fields are otherwise, or are there besides.') })

export const answer: Word<typeof schema, 'answer'> = {
  description: 'The real answer with fields that are otherwise, or that no description has.',
  schema,
  example: '{ set: { risk_score: 12 } }',
  about: 'request',
  operations: null,
  part: 'answer',
  compile: ({ set }) => set,
  describe: (set) => [`answer with other ${Object.keys(set).join(', ')}`],
  check: noIssues,
}
