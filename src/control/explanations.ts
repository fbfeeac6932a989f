import { notFound } from '../service/domain/errors.ts'
import { isSecretName, redact, redactText } from '../lib/log/redact.ts'
import { describeOutcome } from '../scenarios/describe.ts'
import type { Attempt } from '../scenarios/explain.ts'
import { explanationOf } from '../worlds/explained.ts'
import type { ControlDependencies } from './dependencies.ts'
import type { ControlHandlers } from '../http/handler.ts'

export const explanations = ({ library }: ControlDependencies): Pick<ControlHandlers, 'explainRequest'> => ({
  async explainRequest(call) {
    const { id } = call.request.path
    const entry = await call.world.journal.get(id)
    if (!entry) throw notFound('request', id)
    const { operation, status, decided } = entry
    const about = { id, operation, status }
    const explanation = explanationOf(entry, library())
    if (!decided || !explanation)
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
    const { by, scenario, outcome, over } = decided.decision
    const { tried, nearest } = explanation
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
})

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
