import { Command } from '@commander-js/extra-typings'
import { didYouMean } from '../lib/text/suggest.ts'
import { Refusal, unlessUnknown } from './failures.ts'
import { lineOf } from './follow.ts'
import { exitCodes, painter, type Output } from './output.ts'
import type { End } from './options.ts'
import type { Process } from './process.ts'
import { worldCommand, type Session } from './world-command.ts'
import { idleIncidents } from '../client/incidents.ts'
import type { Explanation } from '../client/types.ts'

export const explainCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('explain')
      .description(
        'Explain which outcome decided a request or payment, which did not match and why, and show the events of a payment.',
      )
      .argument('<id>', 'the id of a request (req_…), or any reference of a payment'),
    (session, id) => explain(session, id),
  )

async function explain({ world, out, flags }: Session, id: string): Promise<void> {
  const known = await world.requests.explain(id).catch(unlessUnknown)
  if (known) return print(out, known)
  const found = await world.transactions.get(id).catch(unlessUnknown)
  if (!found) return explainRejected({ world, out }, id)
  const { transaction, request, planned } = found
  const { status, reason, message, reference, scenario } = transaction
  const ended = [status, reason, message].filter(Boolean).join(': ')
  out.say(`${painter(out.colours)('bold', reference)}  ${ended}`, { kind: 'transaction', ...transaction })
  if (request) {
    const explanation = await world.requests.explain(request.id)
    print(out, explanation)
    for (const each of await idleIncidents(world.incidents, transaction, explanation)) out.say(`  ${each}`)
  } else
    out.say(`  its request is no longer in the log${scenario === null ? '' : `; ${scenario} decided it`}`)
  for (const event of (await world.transactions.timeline(reference)).events)
    out.say(lineOf(event, painter(out.colours)), { ...event })
  for (const { kind, due_at, outcome } of planned) {
    const summary = [kind, outcome].filter(Boolean).join(' ')
    const job = { kind: 'planned', at: due_at, summary }
    out.say(lineOf(job, painter(out.colours)), job)
  }
  if (planned.length > 0 && (await world.clock.show()).frozen)
    out.say(`  the clock is frozen: payments-sandbox settle${flags} runs what is planned`)
}

/** A rejected payment is only a request. @throws {Refusal} If there is none. */
async function explainRejected(
  { world, out }: Pick<Session, 'world' | 'out'>,
  reference: string,
): Promise<void> {
  const [request] = await world.requests.list({ reference })
  if (request) {
    // Its error is the reason, not an outcome that did not match.
    print(out, { ...(await world.requests.explain(request.id)), nearest: [] })
    // A broken connection leaves no response.
    const refusal = request.response as { readonly error_message?: string } | null
    return out.say(`  ${refusal?.error_message ?? 'it made no payment'}`)
  }
  const { transactions } = await world.call('listTransactions', { query: { limit: 50 } })
  const known = transactions.flatMap((each) => [each.external_reference, each.reference])
  const message = `there is no request or payment ${reference} in this world${didYouMean(reference, known)}`
  throw new Refusal(message, exitCodes.no, 'resource_not_found')
}

function print(out: Output, explanation: Explanation): void {
  const { id, operation, status, decided_by, scenario, outcome, overridden, incidents, rules, nearest } =
    explanation
  const named =
    decided_by === 'rejected'
      ? 'rejected before any outcome was considered'
      : scenario === null
        ? 'no outcome matched'
        : `${scenario} decided it (${decided_by})`
  out.say(`${id}  ${operation} ${status}  ${named}`, { kind: 'explanation', ...explanation })
  if (outcome !== '') out.say(`  ${outcome}`)
  for (const name of incidents) out.say(`  changed by the incident ${name}, which runs in this world`)
  if (overridden.length > 0) out.say(`  before ${overridden.join(', ')}`)
  for (const each of nearest) out.say(`  closest of ${rules.length} without a match: ${missed(each)}`)
}

const missed = ({ scenario, misses }: Explanation['rules'][number]) =>
  `${scenario}: ${misses.map(({ field, must, value }) => `${field} ${must}, it is ${value ?? 'not there'}`).join('; ')}`
