import { Command } from 'commander'
import { Refusal, unlessUnknown } from './failures.ts'
import { lineOf } from './follow.ts'
import { painter, type Output } from './output.ts'
import type { Process } from './process.ts'
import type { End } from './options.ts'
import { worldCommand, type Session } from './world-command.ts'
import type { Explanation } from '../client/types.ts'

export const explainCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('explain')
      .description(
        'Say why: of a request which scenario decided it, which did not and why; of a payment that, and what happened to it.',
      )
      .argument('<id>', 'of a request (req_…), or any reference of a payment'),
    explain,
  )

type Tried = Explanation['rules'][number]

/** Tells why a request was answered, or a payment ended, as it did. */
async function explain({ world, out }: Session, id: string): Promise<void> {
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

function tell(out: Output, explanation: Explanation): void {
  const { id, operation, status, decided_by, scenario, outcome, overridden, rules, nearest } = explanation
  const named =
    decided_by === 'rejected'
      ? 'refused before any scenario was looked at'
      : scenario === null
        ? 'no scenario decided it'
        : `${scenario} decided it (${decided_by})`
  out.say(`${id}  ${operation} ${status}  ${named}`, { kind: 'explanation', ...explanation })
  if (outcome !== '') out.say(`  ${outcome}`)
  if (overridden.length > 0) out.say(`  before ${overridden.join(', ')}`)
  for (const each of nearest) out.say(`  nearest of ${rules.length} that did not fit: ${missed(each)}`)
}

const missed = ({ scenario, misses }: Tried) =>
  `${scenario}: ${misses.map(({ field, must, value }) => `${field} ${must}, it is ${value ?? 'not there'}`).join('; ')}`
