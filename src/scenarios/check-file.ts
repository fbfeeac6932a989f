import { checkMeaning } from './check.ts'
import { complaintsOf, type Complaint } from './complaints.ts'
import { loadPatternsFor } from './patterns.ts'
import { fileSchema, type ScenarioFile } from './schema.ts'

/** A scenario file that was read already, or everything that is wrong with it. */
export async function checkFile(
  value: unknown,
): Promise<{ readonly file: ScenarioFile } | { readonly complaints: readonly Complaint[] }> {
  const result = fileSchema.safeParse(value, { reportInput: true })
  if (!result.success) return { complaints: result.error.issues.flatMap((issue) => complaintsOf(issue)) }
  const file: ScenarioFile = result.data
  await loadPatternsFor(file.when)
  const complaints = checkMeaning(file)
  return complaints.length > 0 ? { complaints } : { file }
}
