import { type DurationLimits, parseDuration } from '../../lib/text/duration.ts'
import { invalid } from './errors.ts'

/** The duration of a request's field, milliseconds. @throws ServiceError 400 naming the field, the value and what is accepted */
export const readDuration = (field: string, written: unknown, limits?: DurationLimits): number =>
  readField(field, () => parseDuration(written, limits))

/** What a parser makes of a request's field. @throws ServiceError 400 with what the parser throws */
export function readField<Value>(field: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw invalid(`${field} ${(error as Error).message}`)
  }
}
