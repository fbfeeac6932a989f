import { statementFaults } from '../../service/vocabulary/terms.ts'
import { moneyOperations } from '../operations.ts'
import { oneOf } from '../words.ts'
import { noIssues, type Word } from './word.ts'

const schema = () => oneOf('a fault of statements', statementFaults)

export const statement: Word<typeof schema, 'statement'> = {
  description: 'What is wrong with the statement that tells of it; the ledger is right.',
  schema,
  example: 'line-missing',
  about: 'result',
  operations: moneyOperations,
  part: 'statement',
  compile: (written) => written,
  describe: (statement) => [`statement with ${statement}`],
  check: noIssues,
}
