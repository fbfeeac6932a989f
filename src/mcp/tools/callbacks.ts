import * as z from 'zod'
import type { WorldClient } from '../../client/types.ts'
import { limit, listOf, reference } from '../fields.ts'
import { LOOKS, tool, ToolError } from '../tool.ts'
import { callbackLine, shortened } from './explain.ts'

/** What was sent to receivers, and what came of it. */
export const callbacks = tool({
  name: 'callbacks',
  title: 'Show callbacks and their attempts',
  description:
    'Shows the callbacks of the world, newest first, each with its last attempts: the body and headers as they were sent, what the receiver answered, what is wrong with it. With an inbox, what a receiver inside the sandbox got.',
  input: z.strictObject({
    id: z.int().min(1).optional().describe('One callback by its number.'),
    reference: reference.optional(),
    state: z.enum(['pending', 'delivered', 'failed']).optional(),
    url: z.string().max(500).optional().describe('A part of the address.'),
    inbox: z
      .string()
      .max(64)
      .optional()
      .describe('The messages of this inbox of the world, such as default, which pay uses.'),
    limit,
  }),
  output: z.object({
    callbacks: listOf('Newest first, with their last attempts.'),
    messages: listOf('What the inbox got, newest first.'),
  }),
  hints: LOOKS,
  async run(world, { id, inbox, limit: most, ...query }) {
    const found =
      id === undefined
        ? (await world.call('listCallbacks', { query: { ...query, limit: most } })).callbacks
        : [{ id }]
    const shown = await Promise.all(found.map((each) => world.callbacks.get(each.id)))
    const messages =
      inbox === undefined
        ? []
        : (await world.call('getInbox', { path: { name: inbox }, query: { limit: most } })).messages
    const lines = [
      ...shown.flatMap((each) => [callbackLine(each), each.attempts.at(-1)?.advice ?? '']),
      ...messages.map(
        (each) =>
          `Inbox ${inbox} got a message at ${each.at}, answered ${each.answered ?? 'nothing'}, signature ${each.signature_holds ? 'holds' : 'does not hold'}.`,
      ),
    ].filter(Boolean)
    return {
      text:
        lines.join('\n') ||
        'There are none. A payment without callback_url has none, and one that is QUEUED none yet.',
      facts: { callbacks: shown.map(shortened), messages },
    }
  },
})

const sent = z.record(z.string(), z.string())

/** Why a receiver refuses a signature. */
export const checkSignature = tool({
  name: 'check_signature',
  title: 'Find out why a signature does not hold',
  description:
    'Checks the signature of a callback as a receiver does: one of the world by its number, or headers and body as they arrived. With the secret that the receiver has it tells whether that is the right one. Names the likeliest mistake.',
  input: z.strictObject({
    callback: z.int().min(1).optional().describe('The number of a callback, as callbacks tells it.'),
    headers: sent.optional().describe('As the receiver got them, instead of a callback.'),
    body: z.string().max(1_000_000).optional().describe('The raw bytes that the receiver got, as text.'),
    secret: z
      .string()
      .max(500)
      .optional()
      .describe('The secret that the receiver verifies with; that of the world when left out.'),
  }),
  output: z.object({
    holds: z.boolean(),
    diagnoses: listOf('What each way of signing says.'),
  }),
  hints: LOOKS,
  async run(world, { callback, headers, body, secret }) {
    const received = callback === undefined ? { headers, body } : await lastOf(world, callback)
    if (received.headers === undefined || received.body === undefined)
      throw new ToolError('give the number of a callback, or headers and body as they arrived')
    const check = await world.signatures.check({
      ...(received as { headers: Record<string, string>; body: string }),
      ...(secret !== undefined && { secret }),
    })
    const mistakes = check.diagnoses.flatMap((each) => each.mistakes.map(({ message }) => message))
    return {
      text: check.holds
        ? 'The signature holds with this secret. If the receiver refuses it, it does not verify the raw bytes, or with another secret.'
        : ['The signature does not hold.', ...new Set(mistakes)].join('\n'),
      facts: { ...check },
    }
  },
})

async function lastOf(world: WorldClient, id: number) {
  const { attempts } = await world.callbacks.get(id)
  const last = attempts.at(-1)
  if (!last) throw new ToolError(`callback ${id} was not sent yet; call settle first`)
  return { headers: { ...last.request.headers }, body: last.request.body, url: last.url }
}
