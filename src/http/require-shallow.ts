import { invalid } from '../service/domain/errors.ts'

/** Levels of nesting that are taken where any field is; scenario files have the most, a dozen. */
const DEEPEST = 100

/**
 * Refuses a value that is nested so deep that to show or to keep it would overflow the stack.
 * @throws ServiceError 400
 */
export function requireShallow(fields: object): void {
  if (isDeeper(fields, DEEPEST)) throw invalid(`the request body is nested deeper than ${DEEPEST} levels`)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true
  return false
}
