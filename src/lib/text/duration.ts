import { shown } from './shown.ts'

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
type Unit = keyof typeof unitMs

const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/y

/** No duration that is read is longer, whoever wrote it: 100 years, milliseconds. */
export const LONGEST_DURATION = 36_525 * unitMs.d

/** How much slower or faster than planned pauses may go: slower they last for years, faster they are none. */
export const SLOWEST_PACE = 0.001
export const FASTEST_PACE = 1_000_000

/** What `parseDuration` takes, in words. */
export const durationForms =
  'a duration such as 500ms, 2s, 1m30s, 2h or 3d, 0, or a plain number of milliseconds'

/** How short and how long a duration may be, milliseconds. */
export interface DurationLimits {
  readonly least?: number
  readonly most?: number
}

/** The same with its limits. */
export const durationsWithin = ({ least = 0, most = LONGEST_DURATION }: DurationLimits = {}) =>
  `${durationForms}; ${least > 0 ? `from ${limitText(least)} to` : 'at most'} ${limitText(most)}`

/**
 * Reads `2s`, `500ms`, `1m30s`, `1.5h`, `0` or a plain number (milliseconds). No signs, no blanks. The one reader of
 * durations: settings, requests, scenarios and the command line all take and refuse the same, in the same words.
 * Returns whole milliseconds; throws a RangeError that names the value and what would be accepted.
 */
export function parseDuration(
  written: unknown,
  { least = 0, most = LONGEST_DURATION }: DurationLimits = {},
): number {
  const text = typeof written === 'string' || typeof written === 'number' ? String(written) : ''
  const ms = /^\d+$/.test(text) ? Number(text) : sumOfParts(text)
  if (ms === undefined) throw new RangeError(`${shown(written)} is not ${durationForms}`)
  if (ms > most) throw new RangeError(`${shown(written)} is longer than ${limitText(most)}, the most`)
  if (ms < least) throw new RangeError(`${shown(written)} is shorter than ${limitText(least)}, the least`)
  return ms
}

/** Why `parseDuration` refuses a value, in words; undefined when it does not. */
export function durationIssue(written: unknown, limits?: DurationLimits): string | undefined {
  try {
    parseDuration(written, limits)
    return undefined
  } catch (error) {
    return (error as RangeError).message
  }
}

const limitText = (ms: number) => formatDuration(ms) + (ms === LONGEST_DURATION ? ' (100 years)' : '')

/** Each unit at most once and larger before smaller: `1h30m`, never `30m1h`. */
function sumOfParts(text: string): number | undefined {
  let sum = 0
  let smallest = Infinity
  part.lastIndex = 0
  while (part.lastIndex < text.length) {
    const match = part.exec(text)
    if (!match) return undefined
    const unit = unitMs[match[2] as Unit]
    if (unit >= smallest) return undefined
    smallest = unit
    sum += Number(match[1]) * unit
  }
  return smallest === Infinity ? undefined : Math.round(sum)
}

/**
 * Writes whole milliseconds in the largest unit that holds them exactly: 90000 is `90s`, 3600000 is `1h`.
 * `parseDuration` reads it back to the same number. Throws a RangeError for anything but a whole number >= 0.
 */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`${ms} is not a whole number of milliseconds`)
  if (ms === 0) return '0'
  const units = Object.entries(unitMs).reverse()
  const [unit, size] = units.find(([, size]) => ms % size === 0)!
  return `${ms / size}${unit}`
}
