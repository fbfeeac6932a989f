import { isSecretName, redact, redacted, redactText } from './redact.ts'

/** From the least important; `silent` is above all and writes nothing. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** What syslog, Python, log4j, pino, winston, npm and others call them. */
const calledElsewhere: { readonly [Level in LogLevel]: readonly string[] } = {
  debug: ['trace', 'verbose', 'silly', 'finest', 'finer', 'fine', 'all'],
  info: ['information', 'informational', 'notice', 'http', 'log', 'default'],
  warn: ['warning'],
  error: ['err', 'severe', 'fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic'],
  silent: ['off', 'none', 'quiet'],
}

/** The level that a word stands for, in whatever case; undefined where none is known. Numbers mean something else in each tool. */
export function levelOf(word: string): LogLevel | undefined {
  const name = word.toLowerCase()
  return logLevels.find((level) => level === name || calledElsewhere[level].includes(name))
}

/** What a line says beside its event; the names that every line has are taken. */
export type Fields = { readonly [name: string]: unknown } & {
  readonly time?: never
  readonly level?: never
  readonly event?: never
}

type Write = (event: string, fields?: Fields) => void

/** Says what happened: `log.info('request', { method, path, status })`. Secrets in the fields are redacted. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  /** Whether lines of this level are written: what they say need not be gathered otherwise. */
  writes(level: LogLevel): boolean
  /** A log whose every line has these fields too. */
  child(fields: Fields): Log
}

export interface LogOptions {
  /** The least important level that is written; `silent` writes nothing. */
  readonly level: LogLevel
  /** Takes one line with its line feed. */
  readonly write: (line: string) => void
  /** True: lines for a person. False: a JSON object a line. */
  readonly terminal: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A structured log; it never throws, whatever the fields are. */
export function createLog({ level, write, terminal, now }: LogOptions): Log {
  const least = logLevels.indexOf(level)
  const writes = (name: LogLevel) => logLevels.indexOf(name) >= least
  const line = terminal ? readableLine : jsonLine
  const nothing: Write = () => {}
  let lastTime = Number.NaN
  let lastText = ''
  /** Many lines are of one millisecond. */
  const timeOf = (time: number) => {
    if (time !== lastTime) lastText = new Date((lastTime = time)).toISOString()
    return lastText
  }
  const about = (inherited?: Fields): Log => {
    const at = (name: LogLevel): Write =>
      writes(name)
        ? (event, fields) =>
            write(
              line(
                { time: timeOf(now()), level: name, event },
                inherited ? { ...inherited, ...fields } : fields,
              ),
            )
        : nothing
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      writes,
      child: (fields) => about({ ...inherited, ...fields }),
    }
  }
  return about()
}

/** What every line has, beside the fields of its own. */
interface LineHead {
  readonly time: string
  readonly level: string
  readonly event: string
}

type LineFields = { readonly [name: string]: unknown }

/** One line of JSON, for machines. */
function jsonLine(head: LineHead, fields: LineFields = {}): string {
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
function readableLine(head: LineHead, fields?: LineFields): string {
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

/**
 * Returns a function that calls `write` at most once per `ms`, however often it is called itself.
 * @param write - receives the number of calls since the last line, and what the latest call was about
 */
export function throttled<About = void>(
  ms: number,
  now: () => number,
  write: (times: number, about: About) => void,
): (about: About) => void {
  let next = -Infinity
  let times = 0
  return (about) => {
    times++
    if (now() < next) return
    next = now() + ms
    write(times, about)
    times = 0
  }
}
