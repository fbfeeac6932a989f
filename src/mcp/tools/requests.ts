import * as z from 'zod'
import type { RecordedRequest } from '../../client/types.ts'
import { described, limit, listOf } from '../fields.ts'
import { LOOKS, tool } from '../tool.ts'

/** What the integration sent. */
export const requests = tool({
  name: 'requests',
  title: 'Look into the record of requests',
  description:
    'Shows what the integration sent to the service and what was answered, newest first: the way to see which field was wrong. With an id: one whole, with headers, why it was decided so, and the same as curl.',
  input: z.strictObject({
    id: z
      .string()
      .max(100)
      .optional()
      .describe('One request, by the header Sandbox-Request-Id of its answer.'),
    operation: z.string().max(64).optional().describe('Such as createCollection.'),
    status: z.int().optional().describe('Of the answer, such as 400.'),
    reference: z.string().max(255).optional(),
    search: z.string().max(100).optional().describe('A text anywhere in the request or its answer.'),
    limit,
  }),
  output: z.object({
    requests: listOf('Newest first.'),
    decided: described('Why the one was decided so; null for a list.').nullable(),
    curl: z.string().nullable(),
  }),
  hints: LOOKS,
  async run(world, { id, ...query }) {
    if (id === undefined) {
      const { requests: found } = await world.call('listRequests', { query })
      return {
        text: found.map(lineOf).join('\n') || 'No request of this world’s record is like this.',
        facts: { requests: found.map(brief), decided: null, curl: null },
      }
    }
    const [request, decided, curl] = await Promise.all([
      world.requests.get(id),
      world.requests.explain(id).catch(() => null),
      world.requests.curl(id),
    ])
    return {
      text: [lineOf(request), decided && `Decided by ${decided.decided_by}. ${decided.outcome}`]
        .filter(Boolean)
        .join('\n'),
      facts: { requests: [request], decided, curl },
    }
  },
})

function lineOf({ id, at, method, path, status, answer, scenario }: RecordedRequest): string {
  const { error_message: message } = (answer ?? {}) as { readonly error_message?: string }
  return `${id} ${at} ${method} ${path}: ${status ?? 'no answer'}${message ? `, ${message}` : ''}${scenario ? ` (${scenario})` : ''}`
}

/** Headers are of one alone. */
const brief = ({ headers: _headers, ...request }: RecordedRequest) => request
