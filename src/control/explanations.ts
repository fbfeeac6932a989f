import { notFound } from '../domain/errors.ts'
import { isSecretName, redact, redactText } from '../log/redact.ts'
import { describeOutcome } from '../scenarios/describe.ts'
import { explain, type Attempt } from '../scenarios/explain.ts'
import type { ControlHandlers } from '../http/handler.ts'

export const explanations: Pick<ControlHandlers, 'explainRequest'> = {
  async explainRequest(call) {
    const { id } = call.request.path
    const entry = call.world.journal.get(id)
    if (!entry) throw notFound('request', id)
    const { operation, status, considered } = entry
    const about = { id, operation, status }
    if (!considered)
      return {
        status: 200,
        body: {
          ...about,
          decided_by: 'refused' as const,
          scenario: null,
          outcome: '',
          over: [],
          tried: [],
          nearest: [],
        },
      }
    const { by, scenario, outcome, over } = considered.decision
    const { tried, nearest } = explain(considered, considered.library, considered.request)
    return {
      status: 200,
      body: {
        ...about,
        decided_by: by,
        scenario,
        outcome: describeOutcome(outcome),
        over: [...over],
        tried: tried.map(view),
        nearest: nearest ? [view(nearest)] : [],
      },
    }
  },
}

const view = ({ by, scenario, matched, misses }: Attempt) => ({
  by: by as Exclude<Attempt['by'], 'default'>,
  scenario,
  matched,
  misses: misses.map(({ field, must, value }) => ({ field, must, value: text(field, value) })),
})

function text(field: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (isSecretName(field.slice(field.lastIndexOf('.') + 1))) return '[redacted]'
  return typeof value === 'string' ? redactText(value) : JSON.stringify(value, redact)
}
