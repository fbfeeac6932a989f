/** Whether the requests that are to show a scenario met it at all: what it promises could hold without it. */
import { explain } from '../scenarios/explain.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { JournalEntry } from '../worlds/journal.ts'

export const happenedTo = ({ considered }: JournalEntry, { name }: Scenario): boolean =>
  considered?.decision.scenario === name

/** Why a scenario did not happen to a request, in words. */
export function whyNot({ considered, status }: JournalEntry, { name }: Scenario): string {
  if (!considered) return `refused with ${status} before any scenario`
  const tried = explain(considered).tried.find((each) => each.scenario === name)
  const misses = (tried?.misses ?? []).map(
    ({ field, must, value }) => `${field} ${must}, was ${JSON.stringify(value) ?? 'not there'}`,
  )
  if (misses.length > 0) return misses.join('; ')
  const { scenario, by } = considered.decision
  return scenario ? `${scenario} came first` : `decided by ${by}`
}
