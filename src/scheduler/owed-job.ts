import type { Look } from '../domain/context.ts'
import type { JobRow } from '../store/rows.ts'
import type { Generation } from '../store/store.ts'

/** A job, and the rows that it was read from. */
export interface OwedJob {
  readonly job: JobRow
  readonly generation: Generation
}

export function owedJob({ rows }: Look, id: number): OwedJob | undefined {
  const job = rows.get('jobs', id)
  return job && { job, generation: rows.generation }
}
