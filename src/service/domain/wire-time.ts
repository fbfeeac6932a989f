import { boundedTime } from '../../lib/clock/bounds.ts'
import { type DurationLimits, parseDuration } from '../../lib/text/duration.ts'
import { invalid } from './errors.ts'

const DAY = 86_400_000

/** The day that was last written: most times that meet in one answer share it, and to write a date takes long. */
let day = Number.NaN
let date = ''

const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/**
 * A time as it goes on the wire: ISO 8601 in UTC without fractions, e.g. `2026-06-30T00:44:53Z`. Never throws: a number
 * that is no time is written as the nearest that a world can have.
 */
export function wireTime(time: number): string {
  const at = boundedTime(time)
  const today = Math.floor(at / DAY)
  if (today !== day) {
    date = new Date(at).toISOString().split('T')[0]!
    day = today
  }
  const second = Math.floor((at - today * DAY) / 1000)
  const minute = Math.floor(second / 60)
  return `${date}T${two[Math.floor(minute / 60)]}:${two[minute % 60]}:${two[second % 60]}Z`
}

/** The same with milliseconds, as the control API writes it. */
export const exactTime = (time: number): string => new Date(boundedTime(time)).toISOString()

/** Formats a time that may not exist yet. */
export const exactOrNull = (time: number | null | undefined): string | null =>
  time === null || time === undefined ? null : exactTime(time)

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
