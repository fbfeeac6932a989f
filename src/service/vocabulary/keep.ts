import { formatDuration, parseDuration } from '../../lib/text/duration.ts'

/** How long and how many settled transactions are kept; Infinity for no limit. */
export interface Keep {
  /** Milliseconds on the world's clock. */
  readonly age: number
  readonly number: number
}

/** The forms accepted by `parseKeep`. */
export const keepForms =
  'an age such as 30d, a number of transactions from 1 such as 100000, both with a comma between them, or off'

/**
 * Parses `30d,100000`, `30d`, `100000` or `off`.
 * @throws {RangeError} with the text and the accepted forms
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
