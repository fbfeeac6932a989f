import { isSecretName, redact, redactText } from '../lib/log/redact.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { Unmet } from '../worlds/request-conditions.ts'
import { ReadRequest } from '../worlds/request-facts.ts'
import { pathOf } from '../worlds/request-view.ts'
import type { World } from '../worlds/world.ts'
import { walk } from './walk.ts'

/** How many of the last requests are looked at. */
const MOST = 1_000
/** How many characters of a value are shown, and how many fields. */
const LONGEST = 80
const MOST_FIELDS = 10

/**
 * The request on the record that misses conditions by the fewest fields, the newest of them, in words; empty when there is none that
 * meets some of them.
 * @param wanted how many conditions there are
 */
export async function nearestRequest(
  world: World,
  unmet: (request: ReadRequest) => readonly Unmet[],
  wanted: number,
  left: AbortSignal,
): Promise<string> {
  let nearest: { readonly entry: JournalEntry; readonly misses: readonly Unmet[] } | undefined
  const look = (entry: JournalEntry) => {
    const misses = unmet(new ReadRequest(entry))
    // One of another kind altogether says nothing.
    if (misses.length === 0 || (wanted > 1 && misses.length === wanted)) return undefined
    if (!nearest || misses.length < nearest.misses.length) nearest = { entry, misses }
    return misses.length === 1 ? false : undefined
  }
  await walk(world.name, await world.journal.newest(MOST), look, left)
  return nearest ? inWords(nearest.entry, nearest.misses) : ''
}

const inWords = (entry: JournalEntry, misses: readonly Unmet[]): string => {
  const lines = misses
    .slice(0, MOST_FIELDS)
    .map(
      ({ field, expected, got }) => `${field}: expected ${shown(field, expected)}, got ${shown(field, got)}`,
    )
  const more = misses.length > MOST_FIELDS ? [`and ${misses.length - MOST_FIELDS} more`] : []
  return `${entry.method} ${redactText(pathOf(entry.url))} (${entry.id}): ${[...lines, ...more].join('; ')}`
}

function shown(field: string, value: unknown): string {
  if (value === undefined) return 'nothing'
  if (isSecretName(field.slice(field.lastIndexOf('.') + 1))) return '[redacted]'
  const text = typeof value === 'string' ? JSON.stringify(redactText(value)) : JSON.stringify(value, redact)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
