import { cutShort } from './field-path.ts'

const LONGEST = 80

/** Formats a value for messages, as truncated JSON. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'function') return 'a function'
  // Only the beginning is needed.
  return cutShort(jsonOf(typeof value === 'string' ? value.slice(0, LONGEST + 1) : value), LONGEST)
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing'
  } catch {
    // Too deep for the stack.
    return Array.isArray(value) ? '[…]' : '{…}'
  }
}

/** Such as `flat, nested or none`. */
export const either = (words: readonly string[]) => words.join(', ').replace(/, (?=[^,]*$)/, ' or ')
