/** One predicate of `when` by itself, for whoever asks in the same words about something else than scenarios. */
import { fieldPath } from '../field-path.ts'
import { checkPredicate } from './check.ts'
import { type Issue, issuesOf, reporting } from '../validation-messages.ts'
import { holdsOf } from './conditions.ts'
import { loadPatternsFor } from './patterns.ts'
import { predicate } from './schema.ts'

/** The test that a predicate stands for, or everything that is wrong with it; paths begin with the field. */
export async function readPredicate(
  field: string,
  written: unknown,
): Promise<{ readonly holds: (value: unknown) => boolean } | { readonly issues: readonly Issue[] }> {
  await loadPatternsFor(written)
  const read = predicate.safeParse(written, reporting)
  const issues = read.success
    ? checkPredicate([field], field, read.data)
    : issuesOf(read.error, { name: (path) => fieldPath([field, ...path]) }).told.map((issue) => ({
        ...issue,
        path: [field, ...issue.path],
      }))
  return issues.length > 0 ? { issues } : { holds: holdsOf(read.data) }
}
