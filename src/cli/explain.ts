import { SandboxError } from '../client/transport.ts'
import type { Explanation } from '../client/types.ts'
import { Refusal } from './failed.ts'
import { lineOf } from './follow.ts'
import { painter } from './paint.ts'
import type { Session } from './session.ts'
import type { Teller } from './teller.ts'

type Tried = Explanation['tried'][number]

/** Tells why a request was answered, or a payment ended, as it did. */
export async function explain({ world, out }: Session, id: string): Promise<void> {
  const known = await world.requests.explain(id).catch(unlessUnknown)
  if (known) return tell(out, known)
  const { transaction, request } = await world.transactions.get(id).catch((error: unknown) => {
    unlessUnknown(error)
    throw new Refusal(`no request and no payment has the id ${id}`)
  })
  const { status, reason, message, reference, scenario } = transaction
  const ended = [status, reason, message].filter(Boolean).join(': ')
  out.say(`${painter(out.colours)('bold', reference)}  ${ended}`, { kind: 'transaction', ...transaction })
  if (request) tell(out, await world.requests.explain(request.id))
  else
    out.say(`  its request is not on record any more${scenario === null ? '' : `; ${scenario} decided it`}`)
  for (const event of (await world.transactions.timeline(reference)).events)
    out.say(lineOf(event, painter(out.colours)), { ...event })
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof SandboxError && error.status === 404) return
  throw error
}

function tell(out: Teller, explanation: Explanation): void {
  const { id, operation, status, decided_by, scenario, outcome, over, tried, nearest } = explanation
  const named =
    decided_by === 'refused'
      ? 'refused before any scenario was looked at'
      : scenario === null
        ? 'no scenario decided it'
        : `${scenario} decided it (${decided_by})`
  out.say(`${id}  ${operation} ${status}  ${named}`, { kind: 'explanation', ...explanation })
  if (outcome !== '') out.say(`  ${outcome}`)
  if (over.length > 0) out.say(`  before ${over.join(', ')}`)
  for (const each of nearest) out.say(`  nearest of ${tried.length} that did not fit: ${missed(each)}`)
}

const missed = ({ scenario, misses }: Tried) =>
  `${scenario}: ${misses.map(({ field, must, value }) => `${field} ${must}, it is ${value ?? 'not there'}`).join('; ')}`
