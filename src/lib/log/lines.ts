import { isSecretName, redact, redacted, redactText } from './redact.ts'

/** What every line has, beside the fields of its own. */
export interface LineHead {
  readonly time: string
  readonly level: string
  readonly event: string
}

type LineFields = { readonly [name: string]: unknown }

/** One line of JSON, for machines. */
export function jsonLine(head: LineHead, fields: LineFields = {}): string {
  const { time, level, event } = head
  try {
    return `{"time":"${time}","level":"${level}","event":${textOf(event)}${fieldsOf(fields)}}\n`
  } catch (error) {
    // A circle, or nesting beyond the stack: the event is still worth its line.
    return `${JSON.stringify({ ...head, unwritable: String(error) })}\n`
  }
}

/**
 * The fields as `JSON.stringify` writes them, each by itself for speed: the lines of requests have texts and numbers only, and a
 * replacer makes a line of them five times as dear.
 */
function fieldsOf(fields: LineFields): string {
  let written = ''
  for (const name in fields) {
    const text = isSecretName(name) ? REDACTED : valueOf(fields[name])
    if (text !== undefined) written += `,${textOf(name)}:${text}`
  }
  return written
}

function valueOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string') return textOf(value)
  if (value === null || typeof value === 'number') return JSON.stringify(value)
  return JSON.stringify(value, redact)
}

/** Has nothing that JSON escapes, and but for `whsec_` nothing that a secret is told by: most of what lines say. */
const bare = /^[\w./:-]*$/

const textOf = (text: string) =>
  bare.test(text) && !text.includes('whsec_') ? `"${text}"` : JSON.stringify(redactText(text))

const REDACTED = JSON.stringify(redacted)

/** The same for a person at a terminal: `09:05:20.123 info  request method=POST status=201`. */
export function readableLine(head: LineHead, fields?: LineFields): string {
  const { time, level, event, ...said } = JSON.parse(jsonLine(head, fields)) as LineHead & LineFields
  const pairs = Object.entries(said).map(([name, value]) => `${name}=${readableValue(value)}`)
  return `${[time.slice(11, 23), level.padEnd(5), event, ...pairs].join(' ').replace(controls, escapeControl)}\n`
}

/** Bare where that cannot be mistaken. */
function readableValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

/** What would move the cursor or colour the screen, were it printed as it is. */
const controls = /\p{Cc}/gu
const escapeControl = (character: string) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
