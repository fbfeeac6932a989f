import * as z from 'zod'
import type { CallbackDetails, RecordedRequest, TransactionDetails, WorldClient } from '../client/types.ts'
import { described, limit, listOf, LOOKS, reference, tool } from './tool.ts'

/** Callbacks that are told of with their attempts. */
const SHOWN = 5

/** Why a payment is as it is. */
export const explain = tool({
  name: 'explain',
  title: 'Why did this happen?',
  description:
    'Tells why a payment is as it is: what decided its outcome, each step on the world’s clock, and of each callback what was sent, what the receiver answered, what is wrong and what to change. Begin here when something is not as expected.',
  input: z.strictObject({ reference }),
  output: z.object({
    transaction: described('How it stands.'),
    decided: described('What decided it; null when its request is not on record any more.').nullable(),
    events: listOf('What happened, oldest first.'),
    planned: listOf('What falls due for it, soonest first.'),
    callbacks: listOf('Its callbacks with their last attempts.'),
    advice: z.array(z.string()).describe('What to do about what went wrong.'),
  }),
  hints: LOOKS,
  async run(world, { reference: asked }) {
    const details = await world.transactions.get(asked)
    const { transaction, request, planned } = details
    const { events } = await world.transactions.timeline(asked)
    const decided = request ? await world.requests.explain(request.id).catch(() => null) : null
    const callbacks = await Promise.all(
      details.callbacks.slice(-SHOWN).map(({ id }) => world.callbacks.get(id)),
    )
    const advice = adviceOf(details, callbacks)
    return {
      text: [
        `${transaction.reference} (${transaction.external_reference}) is ${transaction.status}${transaction.message ? `: ${transaction.message}` : '.'}`,
        decided &&
          `Decided by ${decided.decided_by}: ${decided.scenario ?? 'no scenario'}. ${decided.outcome}`,
        ...callbacks.map(callbackLine),
        ...advice,
      ]
        .filter(Boolean)
        .join('\n'),
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

/** One callback in a line. */
export function callbackLine({ callback, attempts }: CallbackDetails): string {
  const last = attempts.at(-1)
  const answer = last?.answer ? `the receiver answered ${last.answer.status}` : last?.error
  return `Callback ${callback.id} to ${callback.url} is ${callback.state} after ${callback.attempts_made} attempts${answer ? `; ${answer}` : ''}.`
}

/** A callback with its last attempts, as they went and what came back. */
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
      const { advice = '', answer = null } = attempts.at(-1) ?? {}
      const refused = answer?.status === 401 || answer?.status === 403
      return [
        ...(advice ? [`Callback ${callback.id}: ${advice}`] : []),
        ...(refused
          ? [
              `Callback ${callback.id} was refused as not genuine: call check_signature with callback ${callback.id} and the secret that the receiver has, then mend_callbacks with action set_secret, or give the receiver the secret that action show_secret tells, and mend_callbacks with action resend.`,
            ]
          : []),
      ]
    }),
    ...(transaction.status === 'QUEUED' && planned.length > 0
      ? [`It is not over: next is ${planned[0]!.kind} at ${planned[0]!.due_at}. Call settle to have it now.`]
      : []),
  ]
}

/** Payments, newest first. */
export const listTransactions = tool({
  name: 'list_transactions',
  title: 'List payments',
  description:
    'Lists the payments of the world, newest first, with how each stands and how far its callback is.',
  input: z.strictObject({
    status: z.enum(['QUEUED', 'SUCCESS', 'FAILED', 'REVERSED']).optional(),
    reason: z.string().max(64).optional().describe('Why it failed, such as cancelled or insufficient_funds.'),
    party: z.string().max(64).optional().describe('The phone or account at the other end, in any form.'),
    callback_state: z.enum(['none', 'pending', 'delivered', 'failed']).optional(),
    search: z
      .string()
      .max(100)
      .optional()
      .describe('A part of an identifier, of the party or of the provider.'),
    limit,
  }),
  output: z.object({ transactions: listOf('Newest first.') }),
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
  `There is none like this among the ${(await world.show()).transactions} payments of the world.`

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
