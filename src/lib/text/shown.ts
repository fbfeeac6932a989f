import { cutShort } from './field-path.ts'

const LONGEST = 80

/** A value as messages show it: as JSON, and shortened. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'function') return 'a function'
  // Only the beginning is shown: the rest need not be written first.
  return cutShort(jsonOf(typeof value === 'string' ? value.slice(0, LONGEST + 1) : value), LONGEST)
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing'
  } catch {
    // Nested deeper than the stack can follow.
    return Array.isArray(value) ? '[…]' : '{…}'
  }
}
