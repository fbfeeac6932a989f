import { answerFaults } from '../../service/vocabulary/terms.ts'
import { oneOf } from '../words.ts'
import { noIssues, type Word } from './word.ts'

const schema = () => oneOf('a fault', answerFaults)

export const fault: Word<typeof schema, 'fault'> = {
  description: 'What is wrong with the answer.',
  schema,
  example: 'lost-response',
  about: 'answer',
  operations: null,
  part: 'fault',
  compile: (written) => written,
  describe: (fault) => [fault],
  check: noIssues,
}
