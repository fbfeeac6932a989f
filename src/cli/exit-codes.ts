/** What the process's end says; docs/command-line.md and `--help` list the same. */
export const exitCodes = {
  /** It did what was asked. */
  done: 0,
  /** The answer is no: not healthy, a request that was refused, a check or a receiver that failed. */
  no: 1,
  /** The command line or a setting is not understood. */
  usage: 2,
  /** The sandbox could not start: a port in use, a file that is missing or broken. */
  start: 3,
  /** No sandbox answers at the address. */
  unreachable: 4,
} as const
