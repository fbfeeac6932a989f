/** One predicate of `when` by itself, for whoever asks in the same words about something else than scenarios. */
import { checkPredicate } from './check.ts'
import type { Issue } from '../validation-messages.ts'
import { issuesOf } from './issues.ts'
import { holdsOf } from './conditions.ts'
import { loadPatternsFor } from './patterns.ts'
import { predicate } from './schema.ts'

/** The test that a predicate stands for, or everything that is wrong with it; paths begin with the field. */
export async function readPredicate(
  field: string,
  written: unknown,
): Promise<{ readonly holds: (value: unknown) => boolean } | { readonly issues: readonly Issue[] }> {
  await loadPatternsFor(written)
  const read = predicate.safeParse(written, { reportInput: true })
  const issues = read.success
    ? checkPredicate([field], field, read.data)
    : read.error.issues.flatMap((issue) => issuesOf(issue, [field]))
  return issues.length > 0 ? { issues } : { holds: holdsOf(read.data) }
}
