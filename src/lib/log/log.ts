import { isSecretName, redact, redacted, redactText } from './redact.ts'
import { after } from '../clock/after.ts'

/** In ascending order; `silent` writes nothing. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** The names in syslog, Python, log4j, pino, winston, npm and others. */
const calledElsewhere: { readonly [Level in LogLevel]: readonly string[] } = {
  debug: ['trace', 'verbose', 'silly', 'finest', 'finer', 'fine', 'all'],
  info: ['information', 'informational', 'notice', 'http', 'log', 'default'],
  warn: ['warning'],
  error: ['err', 'severe', 'fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic'],
  silent: ['off', 'none', 'quiet'],
}

/** Returns the level of a word, case-insensitive, or undefined if unknown. Numbers are not supported: their meaning varies. */
export function levelOf(word: string): LogLevel | undefined {
  const name = word.toLowerCase()
  return logLevels.find((level) => level === name || calledElsewhere[level].includes(name))
}

/** Fields of a line, except those that every line has. */
export type Fields = { readonly [name: string]: unknown } & {
  readonly time?: never
  readonly level?: never
  readonly event?: never
}

type Write = (event: string, fields?: Fields) => void

/** A structured log: `log.info('request', { method, path, status })`. Secrets in fields are redacted. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  /** Returns whether lines of this level are written. */
  writes(level: LogLevel): boolean
  /** Returns a log that adds these fields to every line. */
  child(fields: Fields): Log
}

interface LogOptions {
  readonly level: LogLevel
  readonly write: (line: string) => void
  readonly terminal: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Creates a log, which never throws. */
export function createLog({ level, write, terminal, now }: LogOptions): Log {
  const least = logLevels.indexOf(level)
  const writes = (name: LogLevel) => logLevels.indexOf(name) >= least
  const line = terminal ? readableLine : jsonLine
  let lastTime = Number.NaN
  let lastText = ''
  /** Many lines have the same time. */
  const timeOf = (time: number) => {
    if (time !== lastTime) lastText = new Date((lastTime = time)).toISOString()
    return lastText
  }
  const about = (inherited?: Fields): Log => {
    const at = (level: LogLevel): Write => {
      if (!writes(level)) return () => {}
      return (event, fields) =>
        write(line({ time: timeOf(now()), level, event }, inherited ? { ...inherited, ...fields } : fields))
    }
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

interface LineHead {
  readonly time: string
  readonly level: string
  readonly event: string
}

type LineFields = { readonly [name: string]: unknown }

function jsonLine(head: LineHead, fields: LineFields = {}): string {
  const { time, level, event } = head
  try {
    return `{"time":"${time}","level":"${level}","event":${textOf(event)}${fieldsOf(fields)}}\n`
  } catch (error) {
    // A circular or very deep value: the event is logged without it.
    return `${JSON.stringify({ ...head, unwritable: String(error) })}\n`
  }
}

/** Writes fields like `JSON.stringify`, but one by one: a replacer makes typical lines five times slower. */
function fieldsOf(fields: LineFields): string {
  let written = ''
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    const text = isSecretName(name) ? REDACTED : valueOf(value)
    if (text !== undefined) written += `,${textOf(name)}:${text}`
  }
  return written
}

function valueOf(value: unknown): string | undefined {
  if (typeof value === 'string') return textOf(value)
  if (Number.isFinite(value)) return `${value as number}`
  return JSON.stringify(value, redact)
}

/** Texts that need neither escaping nor redaction, except `whsec_`. */
const bare = /^[\w./:-]*$/

const textOf = (text: string) =>
  bare.test(text) && !text.includes('whsec_') ? `"${text}"` : JSON.stringify(redactText(text))

const REDACTED = JSON.stringify(redacted)

/** For people: `09:05:20.123 info  request method=POST status=201`. */
function readableLine(head: LineHead, fields?: LineFields): string {
  const { time, level, event, ...said } = JSON.parse(jsonLine(head, fields)) as LineHead & LineFields
  const pairs = Object.entries(said).map(([name, value]) => `${name}=${readableValue(value)}`)
  return `${[time.slice(11, 23), level.padEnd(5), event, ...pairs].join(' ').replace(controls, escapeControl)}\n`
}

/** Quotes values only where necessary. */
function readableValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

/** Control characters would move the cursor or colour the screen. */
const controls = /\p{Cc}/gu
const escapeControl = (character: string) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`

/**
 * Returns a function that calls `write` at most once per `ms`.
 * @param write - Receives the number of calls since its last call, and the argument of the latest.
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

/** Writes synchronously, like `writeSync` of `node:fs`, and returns the number of bytes written. */
type WriteSync = (bytes: Uint8Array) => number

export interface Output {
  /** Queues text to be written at the end of this turn of the event loop, or once 64 KiB are queued. */
  write(text: string): void
  /** Like `write`, but drops the line while 16 MiB are unread. */
  writeLine(line: string): void
  flush(): void
  /** Writes the queue before the process exits, waiting up to a second for a slow reader. */
  flushAtExit(): void
  readonly gone: AbortSignal
  /** Resolves when the queue is written, to the write error, if any; EPIPE is not an error, the reader has left. */
  lost(): Promise<Error | undefined>
}

/** Maximum number of characters queued in one turn. */
const MAX_PER_TURN = 65_536
const MAX_UNREAD = 16 << 20
const RETRY = 10
const TRIES_AT_EXIT = 100

/**
 * Writes the lines of one turn of the event loop together. Writes to the descriptor itself: a stream would lose its buffer when the
 * process exits. After an error, further output is dropped.
 * @param full - Blocks for some milliseconds while the pipe is full.
 */
export function createOutput(writeSync: WriteSync, full: (ms: number) => void = sleep): Output {
  let turn = ''
  let queue: Buffer[] = []
  let unread = 0
  let open = true
  let retrying = false
  let failure: Error | undefined
  const gone = new AbortController()
  const drain = () => {
    while (open && unread > 0)
      try {
        const first = queue[0]!
        const taken = writeSync(first)
        unread -= taken
        if (taken === first.length) queue.shift()
        else queue[0] = first.subarray(taken)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EAGAIN') return false
        if (code !== 'EPIPE') failure = error as Error
        open = false
        queue = []
        unread = 0
        gone.abort()
      }
    return true
  }
  const retry = () => {
    retrying = false
    if (drain() || retrying) return
    retrying = true
    after(RETRY, retry)
  }
  const flush = () => {
    if (!open || !turn) return
    const bytes = Buffer.from(turn)
    queue.push(bytes)
    unread += bytes.length
    turn = ''
    if (!retrying) retry()
  }
  const write = (text: string) => {
    if (!open) return
    if (!turn) setImmediate(flush)
    turn += text
    if (turn.length > MAX_PER_TURN) flush()
  }
  return {
    write,
    writeLine(line) {
      if (unread < MAX_UNREAD) write(line)
    },
    flush,
    flushAtExit() {
      flush()
      for (let n = 0; n < TRIES_AT_EXIT && !drain(); n++) full(RETRY)
    },
    gone: gone.signal,
    async lost() {
      flush()
      while (!drain()) {
        await new Promise((resolve) => void setImmediate(resolve))
        full(RETRY)
      }
      return failure
    },
  }
}

/** Blocks the thread, because no timer fires while the process exits. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
