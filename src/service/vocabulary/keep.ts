import { formatDuration, parseDuration } from '../../lib/text/duration.ts'

/** For how long settled transactions are kept and how many of them; Infinity where nothing limits it. */
export interface Keep {
  /** Milliseconds on the world's clock. */
  readonly age: number
  readonly number: number
}

/** What `parseKeep` takes, in words. */
export const keepForms =
  'an age such as 30d, a number of transactions from 1 such as 100000, both with a comma between them, or off'

/**
 * Reads `30d,100000`, `30d`, `100000` or `off`.
 * @throws RangeError that names the text and the forms accepted
 */
export function parseKeep(text: string): Keep {
  if (text === 'off') return { age: Infinity, number: Infinity }
  const parts = text.split(',').map((each) => each.trim())
  const numbers = parts.filter((each) => /^\d+$/.test(each))
  const ages = parts.filter((each) => !numbers.includes(each))
  const number = numbers.length === 0 ? Infinity : Number(numbers[0])
  const age = ages.length === 0 ? Infinity : readAge(ages[0]!)
  const refused = numbers.length > 1 || ages.length > 1 || !age || number < 1
  if (refused || (number !== Infinity && !Number.isSafeInteger(number)))
    throw new RangeError(`${JSON.stringify(text)} is not ${keepForms}`)
  return { age, number }
}

/** Writes it so that `parseKeep` reads the same. */
export function formatKeep({ age, number }: Keep): string {
  const limits = [
    ...(age === Infinity ? [] : [formatDuration(age)]),
    ...(number === Infinity ? [] : [number]),
  ]
  return limits.join(',') || 'off'
}

function readAge(text: string): number | undefined {
  try {
    return parseDuration(text)
  } catch {
    return undefined
  }
}
