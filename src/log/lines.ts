import { isSecretName, redact, redacted, redactText } from './redact.ts'

export interface LogEntry {
  readonly time: string
  readonly level: string
  readonly event: string
  readonly [field: string]: unknown
}

/** One line of JSON, for machines. */
export function jsonLine(entry: LogEntry): string {
  try {
    return `{${fieldsOf(entry)}}\n`
  } catch (error) {
    // A circle, or nesting beyond the stack: the event is still worth its line.
    const { time, level, event } = entry
    return `${JSON.stringify({ time, level, event, unwritable: String(error) })}\n`
  }
}

/**
 * The fields as `JSON.stringify` writes them, each by itself for speed: the lines of requests have texts and numbers only, and a
 * replacer makes a line of them five times as dear.
 */
function fieldsOf(entry: LogEntry): string {
  let written = ''
  for (const name of Object.keys(entry)) {
    const value = valueOf(name, entry[name])
    if (value === undefined) continue
    if (written !== '') written += ','
    written += `${JSON.stringify(name)}:${value}`
  }
  return written
}

function valueOf(name: string, value: unknown): string | undefined {
  if (isSecretName(name)) return REDACTED
  if (value === undefined) return undefined
  if (typeof value === 'string') return JSON.stringify(redactText(value))
  return typeof value === 'number' ? JSON.stringify(value) : JSON.stringify(value, redact)
}

const REDACTED = JSON.stringify(redacted)

/** The same for a person at a terminal: `09:05:20.123 info  request method=POST status=201`. */
export function readableLine(entry: LogEntry): string {
  const { time, level, event, ...fields } = JSON.parse(jsonLine(entry)) as LogEntry
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
