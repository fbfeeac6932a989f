import * as z from 'zod'
import { FIRST_TIME, LAST_TIME } from '../lib/clock/bounds.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { invalid } from '../service/domain/errors.ts'
import { ARCHIVED } from '../service/domain/archive.ts'
import { lazy } from '../lib/lazy.ts'
import { fieldPath, type FieldPath } from '../lib/text/field-path.ts'
import { MOST_COUNTED } from '../storage/store/row-fields.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { tables, type TableName } from '../storage/store/tables.ts'
import { issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'

/**
 * Looks at rows that come from outside, by tables that there are: what is wrong with one would come to light much later,
 * when it is shown or falls due.
 * @param world whose work it is
 * @throws ServiceError 400 naming the first fields that are wrong, their values and what is accepted
 */
export async function requireRows(world: string, rows: WorldRows): Promise<void> {
  const slice = await timeSlice(world)
  const issues: string[] = []
  for (const [table, list] of Object.entries(rows)) {
    const shape = tables[table as TableName].schema()
    for (const [n, row] of list.entries()) {
      if (slice.over) await slice.next()
      issues.push(...issuesAt(shape, row, ['rows', table, n]))
      if (table === 'state') issues.push(...stateIssues(row as State, ['rows', table, n, 'value']))
      if (issues.length >= MOST_TOLD) throw invalid(issues.slice(0, MOST_TOLD).join('; '))
    }
  }
  if (issues.length > 0) throw invalid(issues.join('; '))
}

interface State {
  readonly name: string
  readonly value: unknown
}

/** @param place of the value, as a path */
function issuesAt(shape: z.ZodType, value: unknown, place: FieldPath): readonly string[] {
  const { error } = shape.safeParse(value, reporting)
  if (!error) return []
  const { told } = issuesOf(error, { name: (path) => fieldPath([...place, ...path]) })
  return told.map(({ message }) => message)
}

/** What the world remembers beside its rows; its settings, scenarios, clock and beginning are looked at on their own. */
const stateShapes = lazy((): { readonly [name: string]: z.ZodType } => ({
  'signing-secrets': z
    .array(z.object({ secret: z.string(), created_at: z.number(), valid_until: z.number().nullable() }))
    .min(1),
  'inbox-scripts': z.record(
    z.string(),
    z.object({
      answers: z.array(z.union([z.int().min(200).max(599), z.literal('timeout')])).min(1),
      answered: z.int().min(0),
    }),
  ),
  'low-balance': z.array(z.int()),
  [ARCHIVED]: z.object({
    transactions: z.int().min(0).max(MOST_COUNTED),
    postings: z.int().min(0).max(MOST_COUNTED),
    through: z.number().min(FIRST_TIME).max(LAST_TIME),
  }),
}))

function stateIssues({ name, value }: State, place: FieldPath): readonly string[] {
  const shape = Object.hasOwn(stateShapes(), name) ? stateShapes()[name] : undefined
  return shape ? issuesAt(shape, value, place) : []
}
