import { type DurationLimits, parseDuration } from '../duration.ts'
import { invalid } from './errors.ts'

/** The duration of a request's field, milliseconds. @throws ServiceError 400 naming the field, the value and what is accepted */
export function readDuration(field: string, written: unknown, limits?: DurationLimits): number {
  try {
    return parseDuration(written, limits)
  } catch (error) {
    throw invalid(`${field} ${(error as RangeError).message}`)
  }
}
