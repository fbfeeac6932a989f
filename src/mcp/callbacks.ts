import * as z from 'zod'
import type { WorldClient } from '../client/types.ts'
import { callbackLine, shortened } from './explain.ts'
import {
  described,
  duration,
  limit,
  listOf,
  LOOKS,
  reference,
  SETS,
  tool,
  type ToolAnswer,
  ToolError,
} from './tool.ts'

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

const input = z.strictObject({
  action: z.enum([
    'resend',
    'resend_failed',
    'show_secret',
    'set_secret',
    'set_signatures',
    'verify_target',
    'set_inbox_answers',
  ]),
  id: z.int().min(1).optional().describe('For resend: the number of the callback.'),
  url: z
    .string()
    .max(2_000)
    .optional()
    .describe(
      'For resend_failed: a part of the addresses that are meant. For verify_target: the address of the receiver.',
    ),
  secret: z
    .string()
    .max(500)
    .optional()
    .describe('For set_secret: what the receiver has, whsec_ and base64; a new one is made when left out.'),
  overlap: duration
    .optional()
    .describe('For set_secret: how long callbacks are signed with the old one too; 24h when left out.'),
  signatures: z
    .string()
    .max(200)
    .optional()
    .describe(
      'For set_signatures: how callbacks are signed, such as standard, stripe, hmac-sha512 or none; several by commas.',
    ),
  answers: z
    .array(z.union([z.int().min(200).max(599), z.literal('timeout')]))
    .max(20)
    .optional()
    .describe('For set_inbox_answers: what the inbox answers one after the other, the last for ever.'),
  inbox: z.string().max(64).default('default').describe('For set_inbox_answers: which inbox.'),
})

type Input = z.output<typeof input>

/** What makes a receiver take its callbacks. */
export const mendCallbacks = tool({
  name: 'mend_callbacks',
  title: 'Mend a receiver and send again',
  description:
    'Does what makes callbacks arrive: sends one again (resend) or all that failed (resend_failed), tells or sets the secret that they are signed with (show_secret, set_secret), how they are signed (set_signatures), asks a receiver whether it wants them (verify_target), or scripts an inbox of the world (set_inbox_answers).',
  input,
  output: z.object({ done: described('What the sandbox answered.') }),
  hints: SETS,
  async run(world, given) {
    const { text, facts } = await actions[given.action](world, given)
    return { text, facts: { done: facts } }
  },
})

type Action = (world: WorldClient, given: Input) => Promise<ToolAnswer>

const NOW = 'It leaves at once while the clock runs; in a world whose clock stands still, call settle.'

const actions: Readonly<Record<Input['action'], Action>> = {
  async resend(world, { id }) {
    const wanted = needed(id, 'resend needs the id of a callback, as the tool callbacks tells it')
    const facts = await world.call('resendCallback', { path: { id: wanted } })
    return { text: `Callback ${wanted} is owed again, with a new signature. ${NOW}`, facts }
  },
  async resend_failed(world, { url }) {
    const facts = await world.callbacks.resendAll({ state: 'failed', ...(url !== undefined && { url }) })
    return {
      text: `${facts.resent} callbacks are owed again. ${facts.resent > 0 ? NOW : ''}`.trim(),
      facts: { ...facts },
    }
  },
  async show_secret(world) {
    const facts = await world.signatures.show()
    return { text: `Callbacks are signed as ${facts.signatures} with ${facts.secret}.`, facts: { ...facts } }
  },
  async set_secret(world, { secret, overlap }) {
    const facts = await world.signatures.rotate({
      ...(secret !== undefined && { secret }),
      ...(overlap !== undefined && { overlap }),
    })
    return {
      text: `Callbacks are signed with ${facts.secret} from now on. Send those that were refused again: resend or resend_failed.`,
      facts: { ...facts },
    }
  },
  async set_signatures(world, { signatures }) {
    const wanted = needed(signatures, 'set_signatures needs signatures, such as standard or none')
    const { settings } = await world.configure({ signatures: wanted })
    return { text: `Callbacks are signed as ${settings.signatures} from now on.`, facts: { settings } }
  },
  async verify_target(world, { url }) {
    const wanted = needed(url, 'verify_target needs the url of the receiver')
    const facts = await world.call('verifyCallbackTarget', { body: { url: wanted } })
    return { text: 'The receiver has shown that it wants the callbacks of this world.', facts: { ...facts } }
  },
  async set_inbox_answers(world, { answers, inbox }) {
    const wanted = needed(answers, 'set_inbox_answers needs answers, such as [500, "timeout", 200]')
    await world.inbox.answer(wanted, inbox)
    return {
      text: `Inbox ${inbox} answers ${wanted.join(', ')}, the last for ever.`,
      facts: { inbox, answers: wanted },
    }
  },
}

function needed<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new ToolError(message)
  return value
}
