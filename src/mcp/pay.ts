import * as z from 'zod'
import { placeOf } from '../client/operations.ts'
import type { PhoneClient, WorldClient } from '../client/types.ts'
import { mergeDeep } from '../lib/objects.ts'
import { OWN_AGENT } from '../lib/own-agent.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { ADDS, described, scenarioName, tool, ToolError } from './tool.ts'

const operations = {
  collection: 'createCollection',
  withdrawal: 'createWithdrawal',
  global: 'createGlobalPayment',
} as const
type Kind = keyof typeof operations

const PHONE = '254712345678'

/** Example requests for a Team with money and a KYC tier. */
const requests: Readonly<
  Record<Kind, (reference: string, callback_url: string, account_id: number) => object>
> = {
  collection: (external_reference, callback_url, account_id) => ({
    account_id,
    amount: 1000,
    phone_number: PHONE,
    provider: 'm-pesa',
    network_code: '63902',
    external_reference,
    callback_url,
  }),
  withdrawal: (external_reference, callback_url, account_id) => ({
    account_id,
    amount: 500,
    phone_number: PHONE,
    account_number: PHONE,
    channel: 'phone',
    recipient_type: 'MSISDN',
    external_reference,
    callback_url,
  }),
  global: (reference, callback_url, vendor_id) => ({
    request_type: 'payment',
    transaction_channel: 'momo',
    provider: 'm-pesa',
    amount: 1000,
    currency: 'KES',
    country: 'KE',
    reason: 'Order',
    source: 'api',
    customer: { first_name: 'Asha', last_name: 'Otieno', phone: PHONE, country: 'KE' },
    vendor_config: { vendor_id },
    provider_config: {
      network_id: 'm-pesa',
      provider_id: 'ke-m-pesa',
      network_name: 'M-Pesa',
      network_code: 'MPESA',
      account_type: 'momo',
    },
    payment_config: {
      reference,
      account_number: PHONE,
      remark: 'Order',
      payment_category: 'goods',
      callback_url,
      redirect_url: 'https://shop.example/thanks',
    },
  }),
}

const input = z.strictObject({
  kind: z
    .enum(['collection', 'withdrawal', 'global'])
    .optional()
    .describe(
      'collection: from a customer in Kenya (the default). withdrawal: out to a phone, paybill, till or bank in Kenya. global: either direction, any rail and country.',
    ),
  scenario: scenarioName
    .optional()
    .describe('The scenario of the payment, such as payer-cancels or wrong-pin; by default it succeeds.'),
  fields: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'Fields to replace in the example request: amount, phone_number, account_id, external_reference, callback_url, … Objects are merged. The default callback_url is an inbox of the world.',
    ),
  settle: z
    .boolean()
    .default(false)
    .describe(
      'Whether to run all pending jobs afterwards, so that the payment ends and its callback is sent.',
    ),
})

export const pay = tool({
  name: 'pay',
  title: 'Make a payment',
  description:
    'Sends a payment to the service as an integration would, based on an example request. Returns the response and the scenario that determined it, also if the service rejects the payment. Call settle next to let the payment end, and explain to see why it ended that way.',
  input,
  output: z.object({
    operation: z.string(),
    sent: described('The request body.'),
    status: z.int().nullable().describe('Of the response; null if the connection was cut.'),
    response: z.unknown(),
    reference: z.string().describe('The identifier for other tools.'),
    decided_by: z.string().nullable(),
    scenario: z.string().nullable(),
    transaction: described('The payment, or null if there is none.').nullable(),
  }),
  hints: ADDS,
  async run(world, { kind, scenario, fields, settle }) {
    const reference = givenReference(fields) ?? `pay-${(await world.show()).transactions + 1}`
    const request = scenario === undefined ? undefined : await sampleOf(world, scenario, kind, reference)
    const operation = request?.operation ?? operations[kind ?? 'collection']
    const body = mergeDeep(request?.body ?? (await exampleOf(world, kind ?? 'collection', reference)), fields)
    const answered = await send(world, operation, body, request?.headers)
    const explained = answered.id
      ? await world.requests.explain(answered.id).catch(() => undefined)
      : undefined
    if (settle) await world.settle()
    const there =
      answered.status !== null && answered.status >= 400 ? undefined : await found(world, reference)
    return {
      text: [
        `${operation} answered ${answered.status ?? 'nothing: the connection was cut'}${messageOf(answered.response)}.`,
        explained && `Decided by ${explained.decided_by}: ${explained.scenario ?? 'no scenario'}.`,
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
        response: answered.response,
        reference,
        decided_by: explained?.decided_by ?? null,
        scenario: explained?.scenario ?? null,
        transaction: there ?? null,
      },
    }
  },
})

/** Resolves to a sample request of a scenario. */
async function sampleOf(world: WorldClient, scenario: string, kind: Kind | undefined, reference: string) {
  const samples = (await world.scenarios.samples(scenario, reference)).filter(({ operation }) =>
    Object.values<string>(operations).includes(operation),
  )
  const found = kind ? samples.find(({ operation }) => operation === operations[kind]) : samples[0]
  if (found)
    return {
      operation: found.operation as (typeof operations)[Kind],
      body: found.body!,
      headers: found.headers,
    }
  if (kind === undefined)
    throw new ToolError(
      `${scenario} does not apply to payments; call the tool scenarios with this name to see its operations`,
    )
  return {
    operation: operations[kind],
    body: await exampleOf(world, kind, reference),
    headers: { prefer: `scenario=${scenario}` },
  }
}

async function exampleOf(world: WorldClient, kind: Kind, reference: string): Promise<object> {
  const { teams } = await world.call('listTeams', { query: { limit: TEAMS } })
  const rich = teams.find(
    ({ currency, kyc_tier, wallets }) =>
      currency === 'KES' &&
      kyc_tier > 1 &&
      wallets.some(({ wallet, balance }) => wallet === 'wallet' && balance.amount > 0),
  )
  const team = rich ?? teams[0]
  if (!team) throw new ToolError('this API key has access to no Team that can pay; pass account_id in fields')
  return requests[kind](reference, await world.inbox.url(), team.id)
}

/** Number of Teams from which one is selected for an example. */
const TEAMS = 50

function givenReference(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { external_reference: own, payment_config: config } = fields
  const given = own ?? (config as { readonly reference?: unknown } | undefined)?.reference
  return typeof given === 'string' && given !== '' ? given : undefined
}

async function send(
  world: WorldClient,
  operation: (typeof operations)[Kind],
  body: object,
  headers: Readonly<Record<string, string>> = {},
) {
  try {
    const answer = await world.fetch(placeOf(operation).path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': OWN_AGENT, ...headers },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      response: parsedJson(text) ?? text,
      id: answer.headers.get('sandbox-request-id'),
    }
  } catch (error) {
    // Some scenarios cut the connection.
    if (error instanceof TypeError) return { status: null, response: null, id: null }
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
  number: z.string().min(1).max(32).describe('The phone, such as 0712345678 or 254712345678.'),
  action: z.enum(['show', 'enter_pin', 'cancel', 'ignore', 'switch_on', 'switch_off', 'pay']),
  pin: z.string().max(12).default('1234').describe('For enter_pin: 1234 is correct unless it was changed.'),
  business_number: z.string().max(20).optional().describe('For pay: the paybill or till.'),
  account_number: z.string().max(100).optional().describe('For pay: the account at the paybill.'),
  amount: z.number().positive().optional().describe('For pay: in units of the currency.'),
})

export const phone = tool({
  name: 'phone',
  title: 'Act as the payer',
  description:
    'Acts as the payer: approves or cancels the waiting prompt (enter_pin, cancel), lets it expire by advancing the clock (ignore), switches the phone on or off, pays from its menu, or shows prompts, balance and messages. Prompts wait for the payer if the world setting payer is manual (tool world).',
  input: phoneInput,
  output: z.object({
    phone: described('The phone afterwards.'),
    prompt: described('The approved, cancelled or expired prompt.').nullable(),
  }),
  hints: ADDS,
  async run(world, given) {
    const at = world.phone(given.number)
    const prompt = await act(at, given)
    const shown = await at.show()
    return {
      text: [
        prompt &&
          `The prompt of ${prompt.business} for ${prompt.currency} ${prompt.amount} is ${prompt.state}${prompt.message ? `: ${prompt.message}` : '.'}`,
        `${shown.number} is ${shown.on ? 'on' : 'off'}; ${shown.waiting} prompts are waiting.`,
        shown.messages[0] && `Last message: ${shown.messages[0].text}`,
      ]
        .filter(Boolean)
        .join('\n'),
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
