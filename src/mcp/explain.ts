import * as z from 'zod'
import type {
  CallbackDetails,
  Explanation,
  RecordedRequest,
  TransactionDetails,
  WorldClient,
} from '../client/types.ts'
import { idleIncidents } from '../client/incidents.ts'
import { limit, LOOKS, reference, summary, tool, ToolError } from './tool.ts'

/** Names the incidents that changed the outcome of a request. */
export const changedBy = (of: Explanation | null | undefined): readonly string[] =>
  (of?.incidents ?? []).map((name) => `Changed by the incident ${name}, which runs in this world.`)

/** Maximum number of callbacks in a result. */
const SHOWN = 5

export const explain = tool({
  name: 'explain',
  description:
    'Explains a payment: what determined its outcome, its steps, and for each callback the request, the response, the problem and the remedy. Start here if something is unexpected.',
  input: z.strictObject({
    reference: reference.optional(),
    id: z.string().max(255).optional(),
  }),
  hints: LOOKS,
  async run(world, { reference: named, id }) {
    const asked = named ?? id
    if (asked === undefined) throw new ToolError('explain needs the reference of a payment')
    const details = await world.transactions.get(asked).catch(async (error: unknown) => {
      // A rejected payment is only a request.
      const [rejected] = await world.requests.list({ reference: asked })
      if (!rejected) throw error
      return rejected
    })
    if (!('transaction' in details)) {
      const refusal = details.response as { readonly error_message?: string } | null
      return {
        text: `${asked} made no payment: ${details.operation} answered ${details.status}${refusal?.error_message ? `: ${refusal.error_message}` : '.'}`,
        facts: { request: details },
      }
    }
    const { transaction, request, planned } = details
    const { events } = await world.transactions.timeline(asked)
    const decided = request ? await world.requests.explain(request.id).catch(() => null) : null
    const callbacks = await Promise.all(
      details.callbacks.slice(-SHOWN).map(({ id }) => world.callbacks.get(id)),
    )
    const advice = adviceOf(details, callbacks)
    const idle = decided ? await idleIncidents(world.incidents, transaction, decided) : []
    return {
      text: summary(
        `${transaction.reference} (${transaction.external_reference}) is ${transaction.status}${transaction.message ? `: ${transaction.message}` : '.'}`,
        decided &&
          `Decided by ${decided.decided_by}: ${decided.scenario ?? 'no scenario'}. ${decided.outcome}`,
        ...changedBy(decided),
        ...idle.map((each) => `${each[0]!.toUpperCase()}${each.slice(1)}.`),
        ...callbacks.map(callbackLine),
        ...advice,
      ),
      facts: {
        transaction,
        decided,
        events,
        planned,
        callbacks: callbacks.map((each) => shortened(each)),
        advice,
      },
    }
  },
})

export function callbackLine({ callback, attempts }: CallbackDetails): string {
  const last = attempts.at(-1)
  const answer = last?.response ? `the receiver answered ${last.response.status}` : last?.error
  return `Callback ${callback.id} to ${callback.url} is ${callback.state} after ${callback.attempt_count} attempt${callback.attempt_count === 1 ? '' : 's'}${answer ? `; ${answer}` : ''}.`
}

/** Returns a callback with its last attempts. */
export const shortened = ({ callback, body, attempts }: CallbackDetails) => ({
  ...callback,
  body,
  attempts: attempts.slice(-3).map(({ request, ...each }) => ({ ...each, headers: request.headers })),
})

function adviceOf(
  { transaction, planned }: TransactionDetails,
  callbacks: readonly CallbackDetails[],
): string[] {
  const failing = callbacks.filter(({ callback }) => callback.state !== 'delivered')
  return [
    ...failing.flatMap(({ callback, attempts }) => {
      const { advice = '', response: answer = null } = attempts.at(-1) ?? {}
      const refused = answer?.status === 401 || answer?.status === 403
      return [
        ...(advice ? [`Callback ${callback.id}: ${advice}`] : []),
        ...(refused
          ? [
              `Callback ${callback.id} was rejected as not genuine: call check_signature with callback ${callback.id} and the secret of the receiver. Then either set this secret with mend_callbacks (action set_secret), or configure the receiver with the secret of action show_secret, and call mend_callbacks with action resend.`,
            ]
          : []),
      ]
    }),
    ...(transaction.status === 'QUEUED' && planned.length > 0
      ? [
          `The payment has not ended: next is ${planned[0]!.kind} at ${planned[0]!.due_at}. Call settle to run it now.`,
        ]
      : []),
  ]
}

export const listTransactions = tool({
  name: 'list_transactions',
  description:
    'Lists the payments of the world, newest first, with their status and the state of their callbacks.',
  input: z.strictObject({
    status: z.enum(['QUEUED', 'SUCCESS', 'FAILED', 'REVERSED']).optional(),
    reason: z.string().max(64).optional().describe('Such as cancelled.'),
    party: z.string().max(64).optional().describe('Phone or account of the payer or recipient.'),
    callback_state: z.enum(['none', 'pending', 'delivered', 'failed']).optional(),
    search: z.string().max(100).optional().describe('Part of an identifier, party or provider.'),
    limit,
  }),
  hints: LOOKS,
  async run(world, query) {
    const { transactions } = await world.call('listTransactions', { query })
    const lines = transactions.map(
      (each) =>
        `${each.reference} (${each.external_reference}) ${each.amount.currency} ${each.amount.amount} ${each.direction}: ${each.status}${each.reason ? `, ${each.reason}` : ''}; callback ${each.callback_state}`,
    )
    return { text: lines.join('\n') || (await nothing(world)), facts: { transactions } }
  },
})

const nothing = async (world: WorldClient) =>
  `No matching payments; the world has ${(await world.show()).transactions}.`

export const requests = tool({
  name: 'requests',
  description:
    'Shows the requests of the integration with their responses, newest first. With id: one request with headers, what decided it, and a curl command.',
  input: z.strictObject({
    id: z.string().max(100).optional().describe('Sandbox-Request-Id of a response.'),
    operation: z.string().max(64).optional().describe('Such as createCollection.'),
    status: z.int().optional().describe('Of the response.'),
    reference: z.string().max(255).optional(),
    search: z.string().max(100).optional().describe('Text in the request or response.'),
    limit,
  }),
  hints: LOOKS,
  async run(world, { id, ...query }) {
    if (id === undefined) {
      const { requests: found } = await world.call('listRequests', { query })
      return {
        text: found.map(lineOf).join('\n') || 'No matching requests in the request log of this world.',
        facts: { requests: found.map(brief), decided: null, curl: null },
      }
    }
    const [request, decided, curl] = await Promise.all([
      world.requests.get(id),
      world.requests.explain(id).catch(() => null),
      world.requests.curl(id),
    ])
    return {
      text: summary(
        lineOf(request),
        decided && `Decided by ${decided.decided_by}. ${decided.outcome}`,
        ...changedBy(decided),
      ),
      facts: { requests: [request], decided, curl },
    }
  },
})

function lineOf({ id, at, method, path, status, response: answer, scenario }: RecordedRequest): string {
  const { error_message: message } = (answer ?? {}) as { readonly error_message?: string }
  return `${id} ${at} ${method} ${path}: ${status ?? 'no response'}${message ? `, ${message}` : ''}${scenario ? ` (${scenario})` : ''}`
}

const brief = ({ headers: _headers, ...request }: RecordedRequest) => request
