import { boundedTime } from '../../lib/clock/clock.ts'
import { type DurationLimits, parseDuration } from '../../lib/text/duration.ts'
import { invalid } from './errors.ts'

const DAY = 86_400_000

/** Caches the last formatted day: most times in a response share it, and formatting a date is slow. */
let day = Number.NaN
let date = ''

const two = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/**
 * Formats a time for the wire: ISO 8601 in UTC without fractions, such as `2026-06-30T00:44:53Z`. Times out of range
 * become the nearest possible time.
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

/** Formats a time with milliseconds, as in the control API. */
export const exactTime = (time: number): string => new Date(boundedTime(time)).toISOString()

export const exactOrNull = (time: number | null | undefined): string | null =>
  time === null || time === undefined ? null : exactTime(time)

/**
 * Reads a duration field, milliseconds.
 * @throws {ServiceError} 400 with the field, the value and the accepted forms
 */
export const readDuration = (field: string, written: unknown, limits?: DurationLimits): number =>
  readField(field, () => parseDuration(written, limits))

/** @throws {ServiceError} 400 with the error of the parser */
export function readField<Value>(field: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw invalid(`${field} ${(error as Error).message}`)
  }
}
