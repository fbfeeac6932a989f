import { channelOperations } from '../operations.ts'
import { duration, milliseconds, words, yes } from '../words.ts'
import { noIssues, type Word } from './word.ts'

const schema = () =>
  words({
    deactivate: yes().describe('The channel of the request is closed, before the request is looked at.'),
    reactivateAfter: duration().optional(),
  })

export const channel: Word<typeof schema, 'channel'> = {
  description: 'What becomes of the channel that the request names.',
  schema,
  example: '{ deactivate: true, reactivateAfter: 10m }',
  about: 'request',
  operations: channelOperations,
  part: 'channel',
  compile: ({ reactivateAfter }) => ({ reactivate_after: milliseconds(reactivateAfter) }),
  describe: () => ['channel closed'],
  check: noIssues,
}
