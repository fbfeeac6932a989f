import * as z from 'zod'
import { FIRST_TIME, LAST_TIME } from '../clock/bounds.ts'
import { timeSlice } from '../clock/time-slice.ts'
import { invalid } from '../domain/errors.ts'
import { FOLDED } from '../domain/retention.ts'
import { lazy } from '../lazy.ts'
import type { WorldRows } from '../store/store.ts'
import type { TableName } from '../store/tables.ts'
import { validationIssues } from '../validation-messages.ts'
import { MOST_COUNTED, rowShapes } from './row-shapes.ts'

/** So many issues are told of; whoever has more has sent something else than an export. */
const MOST_TOLD = 20

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
    const shape = rowShapes()[table as TableName]
    for (const [n, row] of list.entries()) {
      if (slice.over) await slice.next()
      issues.push(...issuesOf(shape, row, `rows.${table}[${n}]`))
      if (table === 'state') issues.push(...stateIssues(row as State, `rows.state[${n}].value`))
      if (issues.length >= MOST_TOLD) throw invalid(issues.slice(0, MOST_TOLD).join('; '))
    }
  }
  if (issues.length > 0) throw invalid(issues.join('; '))
}

interface State {
  readonly name: string
  readonly value: unknown
}

function issuesOf(shape: z.ZodType, value: unknown, place: string): readonly string[] {
  const result = shape.safeParse(value, { reportInput: true })
  if (result.success) return []
  return validationIssues(result.error, { whole: '' }).told.map(({ path, message }) =>
    path.length > 0 ? `${place}${typeof path[0] === 'number' ? '' : '.'}${message}` : place + message,
  )
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
  [FOLDED]: z.object({
    transactions: z.int().min(0).max(MOST_COUNTED),
    postings: z.int().min(0).max(MOST_COUNTED),
    through: z.number().min(FIRST_TIME).max(LAST_TIME),
  }),
}))

function stateIssues({ name, value }: State, place: string): readonly string[] {
  const shape = Object.hasOwn(stateShapes(), name) ? stateShapes()[name] : undefined
  return shape ? issuesOf(shape, value, place) : []
}
