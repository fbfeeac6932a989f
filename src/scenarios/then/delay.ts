import { duration, milliseconds, timeText } from '../words.ts'
import { noIssues, type Word } from './word.ts'

/** No client waits longer for an answer. */
export const DELAYS = { most: 3_600_000 }

const schema = () => duration(DELAYS)

export const delay: Word<typeof schema> = {
  description: 'The answer is held back so long after it is made; an hour at most.',
  schema,
  example: '25s',
  about: 'answer',
  operations: null,
  compile: (written) => ({ delay: milliseconds(written) }),
  describe: ({ delay }) => (delay === undefined ? [] : [`delayed ${timeText(delay)}`]),
  check: noIssues,
}
