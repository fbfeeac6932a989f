import { duration, milliseconds, timeText } from '../words.ts'
import { noIssues, type Word } from './word.ts'

/** No client waits longer for an answer. */
export const DELAYS = { most: 3_600_000 }

const schema = () => duration(DELAYS)

export const delay: Word<typeof schema, 'delay'> = {
  description: 'The answer is held back so long after it is made; an hour at most.',
  schema,
  example: '25s',
  about: 'answer',
  operations: null,
  part: 'delay',
  compile: (written) => milliseconds(written),
  describe: (delay) => [`delayed ${timeText(delay)}`],
  check: noIssues,
}
