import { checkMeaning } from './check.ts'
import type { Issue } from '../validation-messages.ts'
import { issuesOf } from './issues.ts'
import { loadPatternsFor } from './patterns.ts'
import { fileSchema, type ScenarioFile } from './schema.ts'

/** A scenario file that was read already, or everything that is wrong with it. */
export async function checkFile(
  value: unknown,
): Promise<{ readonly file: ScenarioFile } | { readonly issues: readonly Issue[] }> {
  const result = fileSchema.safeParse(value, { reportInput: true })
  if (!result.success) return { issues: result.error.issues.flatMap((issue) => issuesOf(issue)) }
  const file: ScenarioFile = result.data
  await loadPatternsFor(file.when)
  const issues = checkMeaning(file)
  return issues.length > 0 ? { issues } : { file }
}
