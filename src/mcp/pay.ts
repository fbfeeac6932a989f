import * as z from 'zod'
import { sendPrepared } from '../client/payments.ts'
import type { PhoneClient, WorldClient } from '../client/types.ts'
import { changedBy } from './explain.ts'
import { ADDS, summary, tool, ToolError } from './tool.ts'
import { OWN_AGENT } from '../lib/text/headers.ts'

export const pay = tool({
  name: 'pay',
  description:
    'Sends a payment as an integration would, with a default for each omitted field. Returns the response, also a rejection, and what decided it. Then settle lets it end, and explain shows why it ended that way.',
  input: z.strictObject({
    outcome: z.string().max(100).optional().describe('Such as payer-cancels; the tool scenarios lists all.'),
    direction: z.enum(['payin', 'payout']).optional(),
    rail: z.enum(['momo', 'bank', 'card']).optional(),
    country: z.string().length(2).optional(),
    amount: z.number().optional(),
    phone: z.string().max(32).optional(),
    account_id: z.int().optional().describe('The Team.'),
    reference: z.string().max(255).optional(),
    callback_url: z.string().max(2048).optional().describe('By default an inbox.'),
    operation: z.enum(['createCollection', 'createWithdrawal', 'createGlobalPayment']).optional(),
    fields: z.record(z.string(), z.unknown()).optional().describe('Further fields of the request.'),
    settle: z.boolean().default(false).describe('Run all pending jobs afterwards.'),
  }),
  hints: ADDS,
  async run(world, { settle, ...wanted }) {
    const prepared = await world.call('preparePayment', { body: wanted })
    const { operation, body, reference, outcome } = prepared
    const answered = await send(world, prepared)
    const explained = answered.requestId
      ? await world.requests.explain(answered.requestId).catch(() => undefined)
      : undefined
    if (settle) await world.settle()
    const rejected = answered.status !== null && answered.status >= 400
    const there = rejected ? undefined : await found(world, reference)
    return {
      text: [
        `${operation} answered ${answered.status ?? 'nothing: the connection was cut'}${messageOf(answered.answer)}.`,
        explained && `Decided by ${explained.decided_by}: ${explained.scenario ?? 'no scenario'}.`,
        ...changedBy(explained),
        there &&
          `${there.reference} (${reference}) is ${there.status}${there.message ? `: ${there.message}` : '.'}`,
        there?.status === 'QUEUED' && 'It has not ended yet: call settle, or wait.',
      ]
        .filter(Boolean)
        .join(' '),
      facts: {
        operation,
        sent: body,
        status: answered.status,
        response: answered.answer,
        reference,
        outcome,
        decided_by: explained?.decided_by ?? null,
        scenario: explained?.scenario ?? null,
        transaction: there ?? null,
      },
    }
  },
})

async function send(world: WorldClient, prepared: Parameters<typeof sendPrepared>[1]) {
  try {
    // Certify excludes requests with this user agent.
    return await sendPrepared(world.fetch, {
      ...prepared,
      headers: { 'user-agent': OWN_AGENT, ...prepared.headers },
    })
  } catch (error) {
    // Some outcomes cut the connection.
    if (error instanceof TypeError) return { status: null, answer: null, requestId: '' }
    throw error
  }
}

const messageOf = (answer: unknown): string => {
  const { error_message: message } = (answer ?? {}) as { readonly error_message?: unknown }
  return typeof message === 'string' ? `: ${message}` : ''
}

const found = async (world: WorldClient, reference: string) =>
  (await world.transactions.get(reference).catch(() => undefined))?.transaction

/** Maximum wait for a prompt, in real time. */
const WAIT = { timeout: '3s' }

const phoneInput = z.strictObject({
  number: z.string().min(1).max(32).describe('Such as 0712345678.'),
  action: z.enum(['show', 'enter_pin', 'cancel', 'ignore', 'switch_on', 'switch_off', 'pay']),
  pin: z.string().max(12).default('1234').describe('For enter_pin.'),
  business_number: z.string().max(20).optional().describe('For pay: paybill or till.'),
  account_number: z.string().max(100).optional().describe('For pay.'),
  amount: z.number().positive().optional().describe('For pay.'),
})

export const phone = tool({
  name: 'phone',
  description:
    'Acts as the payer: approves or cancels the waiting prompt (enter_pin, cancel), lets it expire (ignore), switches the phone on or off, pays from its menu, or shows prompts, balance and messages. Prompts wait if the setting payer is manual (tool world).',
  input: phoneInput,
  hints: ADDS,
  async run(world, given) {
    const at = world.phone(given.number)
    const prompt = await act(at, given)
    const shown = await at.show()
    return {
      text: summary(
        prompt &&
          `The prompt of ${prompt.business} for ${prompt.currency} ${prompt.amount} is ${prompt.state}${prompt.message ? `: ${prompt.message}` : '.'}`,
        `${shown.number} is ${shown.on ? 'on' : 'off'}; ${shown.waiting} prompts are waiting.`,
        shown.messages[0] && `Last message: ${shown.messages[0].text}`,
      ),
      facts: { phone: shown, prompt },
    }
  },
})

async function act(
  at: PhoneClient,
  { action, pin, business_number, account_number, amount }: z.output<typeof phoneInput>,
) {
  if (action === 'enter_pin') return at.pin(pin, WAIT)
  if (action === 'cancel') return at.cancel(WAIT)
  if (action === 'ignore') return at.ignore(WAIT)
  if (action === 'switch_on') await at.on()
  if (action === 'switch_off') await at.off()
  if (action === 'pay') {
    if (business_number === undefined || amount === undefined)
      throw new ToolError('pay needs business_number and amount')
    await at.pay({ business_number, amount, ...(account_number !== undefined && { account_number }) })
  }
  return null
}
