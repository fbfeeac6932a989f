import { checkMeaning } from './check.ts'
import { type Issue, issuesOf, reporting } from '../validation-messages.ts'
import { inFile } from './issues.ts'
import { loadPatternsFor } from './patterns.ts'
import { fileSchema, type ScenarioFile } from './schema.ts'

/** A scenario file that was read already, or what is wrong with it: the first issues, and how many there are beside. */
export async function checkFile(
  value: unknown,
): Promise<{ readonly file: ScenarioFile } | { readonly issues: readonly Issue[]; readonly more: number }> {
  const result = fileSchema.safeParse(value, reporting)
  if (!result.success) {
    const { told, more } = issuesOf(result.error, inFile)
    return { issues: told, more }
  }
  const file: ScenarioFile = result.data
  await loadPatternsFor(file.when)
  const issues = checkMeaning(file)
  return issues.length > 0 ? { issues, more: 0 } : { file }
}
