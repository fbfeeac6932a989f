import * as z from 'zod'
import type { WorldClient } from '../client/types.ts'
import { callbackLine, shortened } from './explain.ts'
import { duration, limit, LOOKS, reference, SETS, tool, type ToolResult, ToolError } from './tool.ts'

export const callbacks = tool({
  name: 'callbacks',
  description:
    'Shows callbacks, newest first, with their last attempts: body and headers as sent, the response of the receiver and its problem. With inbox, also the messages of an inbox, a receiver inside the sandbox.',
  input: z.strictObject({
    id: z.int().min(1).optional().describe('One callback.'),
    reference: reference.optional(),
    state: z.enum(['pending', 'delivered', 'failed', 'failing']).optional(),
    url: z.string().max(500).optional().describe('Part of the address.'),
    inbox: z.string().max(64).optional().describe('Such as default, which pay uses.'),
    limit,
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
          `Inbox ${inbox} received a message at ${each.at}, answered ${each.response_status ?? 'nothing'}, signature ${each.signature_valid ? 'valid' : 'invalid'}.`,
      ),
    ].filter(Boolean)
    return {
      text:
        lines.join('\n') ||
        'No callbacks. Payments without callback_url never have callbacks, and QUEUED payments do not have them yet.',
      facts: { callbacks: shown.map(shortened), messages },
    }
  },
})

const sent = z.record(z.string(), z.string())

export const checkSignature = tool({
  name: 'check_signature',
  description:
    'Checks a signature as a receiver does, of a callback by its id or of received headers and body, and names the most likely mistake. With the secret of the receiver it shows whether that is correct.',
  input: z.strictObject({
    callback: z.int().min(1).optional().describe('Its id.'),
    headers: sent.optional().describe('As received.'),
    body: z.string().max(1_000_000).optional().describe('As received.'),
    secret: z.string().max(500).optional().describe('By default that of the world.'),
  }),
  hints: LOOKS,
  async run(world, { callback, headers, body, secret }) {
    const received = callback === undefined ? { headers, body } : await lastOf(world, callback)
    if (received.headers === undefined || received.body === undefined)
      throw new ToolError('pass the number of a callback, or the received headers and body')
    const check = await world.signatures.check({
      ...(received as { headers: Record<string, string>; body: string }),
      ...(secret !== undefined && { secret }),
    })
    const mistakes = check.diagnoses.flatMap((each) => each.mistakes.map(({ message }) => message))
    return {
      text: check.valid
        ? 'The signature is valid with this secret. If the receiver rejects it, it uses another secret or does not verify the raw bytes.'
        : ['The signature is invalid.', ...new Set(mistakes)].join('\n'),
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
  id: z.int().min(1).optional().describe('For resend.'),
  url: z
    .string()
    .max(2_000)
    .optional()
    .describe('For verify_target; part of the addresses for resend_failed.'),
  secret: z.string().max(500).optional().describe('For set_secret: whsec_ and base64; a new one by default.'),
  overlap: duration.optional().describe('For set_secret: how long the old secret signs too; 24h by default.'),
  signatures: z
    .string()
    .max(200)
    .optional()
    .describe('For set_signatures: profiles such as standard,stripe or none.'),
  responses: z
    .array(z.union([z.int().min(200).max(599), z.literal('timeout')]))
    .max(20)
    .optional()
    .describe('For set_inbox_answers, in turn; the last one repeats.'),
  inbox: z.string().max(64).default('default').describe('For set_inbox_answers.'),
})

type Input = z.output<typeof input>

export const mendCallbacks = tool({
  name: 'mend_callbacks',
  description:
    'Resends one callback or all failed ones, shows or sets the signing secret, sets the signature profiles, verifies a receiver (verify_target), or scripts the responses of an inbox.',
  input,
  hints: SETS,
  async run(world, given) {
    const { text, facts } = await actions[given.action](world, given)
    return { text, facts: { done: facts } }
  },
})

type Action = (world: WorldClient, given: Input) => Promise<ToolResult>

const NOW = 'It is sent at once while the clock runs; if the clock is frozen, call settle.'

const actions: Readonly<Record<Input['action'], Action>> = {
  async resend(world, { id }) {
    const wanted = needed(id, 'resend needs the id of a callback from the tool callbacks')
    const facts = await world.call('resendCallback', { path: { id: wanted } })
    return { text: `Callback ${wanted} is pending again, with a new signature. ${NOW}`, facts }
  },
  async resend_failed(world, { url }) {
    const facts = await world.callbacks.resendAll({ state: 'failed', ...(url !== undefined && { url }) })
    return {
      text: `${facts.resent} callbacks are pending again. ${facts.resent > 0 ? NOW : ''}`.trim(),
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
      text: `Callbacks are now signed with ${facts.secret}. Resend rejected ones with resend or resend_failed.`,
      facts: { ...facts },
    }
  },
  async set_signatures(world, { signatures }) {
    const wanted = needed(signatures, 'set_signatures needs signatures, such as standard or none')
    const { settings } = await world.configure({ signatures: wanted })
    return { text: `Callbacks are now signed as ${settings.signatures}.`, facts: { settings } }
  },
  async verify_target(world, { url }) {
    const wanted = needed(url, 'verify_target needs the url of the receiver')
    const facts = await world.call('verifyCallbackTarget', { body: { url: wanted } })
    return { text: 'The receiver is verified for the callbacks of this world.', facts: { ...facts } }
  },
  async set_inbox_answers(world, { responses: answers, inbox }) {
    const wanted = needed(answers, 'set_inbox_answers needs answers, such as [500, "timeout", 200]')
    await world.inbox.respond(wanted, inbox)
    return {
      text: `Inbox ${inbox} responds with ${wanted.join(', ')}; the last one repeats.`,
      facts: { inbox, responses: wanted },
    }
  },
}

function needed<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new ToolError(message)
  return value
}
