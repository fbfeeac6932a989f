import { explain, type Explanation } from '../scenarios/explain.ts'
import { type Library, libraryOfVersion } from '../scenarios/library.ts'
import type { JournalEntry } from './journal.ts'
import { CheckedScenarioRequest } from './scenario-request.ts'

/**
 * Why a request on the record was decided as it was, worked out again of what is kept of it; undefined when it was refused
 * before anything was decided.
 * @param library the scenarios there are now, for a request whose own are no longer known
 */
export function explanationOf(
  { operation, headers, decided }: JournalEntry,
  library: Library,
): Explanation | undefined {
  if (!decided) return undefined
  const { scenarios, state, caller, sent, home } = decided
  const request = new CheckedScenarioRequest(operation, caller, sent, headers)
  request.home = home
  return explain({ library: libraryOfVersion(scenarios) ?? library, state, request })
}
