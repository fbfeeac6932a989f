import { shown } from './shown.ts'

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
type Unit = keyof typeof unitMs

const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/y

/** The longest duration accepted anywhere: 100 years, milliseconds. */
export const LONGEST_DURATION = 36_525 * unitMs.d

/** Limits of the factor by which delays may be slowed down or sped up. */
export const SLOWEST_PACE = 0.001
export const FASTEST_PACE = 1_000_000

export const durationForms =
  'a duration such as 500ms, 2s, 1m30s, 2h or 3d, 0, or a plain number of milliseconds'

/** Milliseconds. */
export interface DurationLimits {
  readonly least?: number
  readonly most?: number
}

export const durationsWithin = ({ least = 0, most = LONGEST_DURATION }: DurationLimits = {}) =>
  `${durationForms}; ${least > 0 ? `from ${limitText(least)} to` : 'at most'} ${limitText(most)}`

/**
 * Parses `2s`, `500ms`, `1m30s`, `1.5h`, `0` or a number of milliseconds; used for all durations. Returns whole milliseconds.
 * @throws {RangeError} If the value is invalid; the message contains the value and what is accepted.
 */
export function parseDuration(
  written: unknown,
  { least = 0, most = LONGEST_DURATION }: DurationLimits = {},
): number {
  const text = typeof written === 'string' || typeof written === 'number' ? String(written) : ''
  const ms = /^\d+$/.test(text) ? Number(text) : sumOfParts(text)
  if (ms === undefined) throw new RangeError(`${shown(written)} is not ${durationForms}`)
  if (ms > most) throw new RangeError(`${shown(written)} is longer than ${limitText(most)}, the maximum`)
  if (ms < least) throw new RangeError(`${shown(written)} is shorter than ${limitText(least)}, the minimum`)
  return ms
}

export function durationIssue(written: unknown, limits?: DurationLimits): string | undefined {
  try {
    parseDuration(written, limits)
    return undefined
  } catch (error) {
    return (error as RangeError).message
  }
}

const limitText = (ms: number) => formatDuration(ms) + (ms === LONGEST_DURATION ? ' (100 years)' : '')

/** Each unit may appear once, larger ones first: `1h30m`, not `30m1h`. */
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
 * Formats milliseconds in the largest unit that represents them exactly: 90000 is `90s`, 3600000 is `1h`.
 * @throws {RangeError} If `ms` is not a whole number >= 0.
 */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`${ms} is not a whole number of milliseconds`)
  if (ms === 0) return '0'
  const units = Object.entries(unitMs).reverse()
  const [unit, size] = units.find(([, size]) => ms % size === 0)!
  return `${ms / size}${unit}`
}
