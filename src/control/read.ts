/** Texts of requests that the schema leaves to us. */
import { invalid } from '../domain/errors.ts'
import { formatDuration, parseDuration } from '../duration.ts'

/** A duration of a field, milliseconds. @throws ServiceError that names the field */
export function readDuration(field: string, text: string, most = Infinity): number {
  let ms: number
  try {
    ms = parseDuration(text)
  } catch (error) {
    throw invalid(`${field}: ${(error as Error).message}`)
  }
  if (ms > most) throw invalid(`${field} ${text} must be at most ${formatDuration(most)}`)
  return ms
}

/** A time as the control API writes it: with milliseconds. */
export const exactTime = (at: number) => new Date(at).toISOString()
