import * as z from 'zod'
import type { WorldClient } from '../../client/types.ts'
import { described, duration } from '../fields.ts'
import { SETS, tool, type ToolAnswer, ToolError } from '../tool.ts'

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
