import { logLevels, type LogLevel } from './levels.ts'
import { jsonLine, readableLine } from './lines.ts'

export type { LogLevel } from './levels.ts'
export { createOutput } from './output.ts'

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
