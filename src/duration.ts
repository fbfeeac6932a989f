const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
type Unit = keyof typeof unitMs

const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/y

/** Characters of a text that a message repeats. */
const MOST_SHOWN = 80

/** What `parseDuration` takes, in words. */
export const durationForms =
  'a duration such as 500ms, 2s, 1m30s, 2h or 3d, 0, or a plain number of milliseconds'

/**
 * Reads `2s`, `500ms`, `1m30s`, `1.5h`, `0` or a plain number (milliseconds). No signs, no blanks.
 * Returns whole milliseconds; throws a RangeError that names the text and the forms accepted.
 */
export function parseDuration(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) : sumOfParts(text)
  if (ms === undefined || !Number.isSafeInteger(ms)) {
    const said = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
    throw new RangeError(`${JSON.stringify(said)} is not ${durationForms}`)
  }
  return ms
}

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
