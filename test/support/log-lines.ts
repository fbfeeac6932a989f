import { createLog, type LogLevel } from '../../src/lib/log/log.ts'
import { NOON } from './sandbox.ts'

/** A log whose lines can be read. @param level the least important one that is written */
export function readableLog(level: LogLevel = 'info') {
  const lines: Readonly<Record<string, unknown>>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  return {
    log: createLog({ level, write, terminal: false, now: () => NOON }),
    lines,
    /** Those of an event. */
    of: (event: string) => lines.filter((line) => line['event'] === event),
  }
}
