import { redact } from './redact.ts'

export interface Entry {
  readonly time: string
  readonly level: string
  readonly event: string
  readonly [field: string]: unknown
}

/** One line of JSON, for machines. */
export function jsonLine(entry: Entry): string {
  try {
    return `${JSON.stringify(entry, redact)}\n`
  } catch (error) {
    // A circle, or nesting beyond the stack: the event is still worth its line.
    const { time, level, event } = entry
    return `${JSON.stringify({ time, level, event, unwritable: String(error) })}\n`
  }
}

/** The same for a person at a terminal: `09:05:20.123 info  request method=POST status=201`. */
export function readableLine(entry: Entry): string {
  const { time, level, event, ...fields } = JSON.parse(jsonLine(entry)) as Entry
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${readableValue(value)}`)
  return `${[time.slice(11, 23), level.padEnd(5), event, ...pairs].join(' ').replace(controls, escapeControl)}\n`
}

/** Bare where that cannot be mistaken. */
function readableValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

/** What would move the cursor or colour the screen, were it printed as it is. */
const controls = /\p{Cc}/gu
const escapeControl = (character: string) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
