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
