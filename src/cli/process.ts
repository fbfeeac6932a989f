import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createOutput } from '../lib/log/log.ts'

/** The process that a command runs in; tests pass their own. */
export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Results go to `out`, errors to `err`. */
  readonly out: Writer
  readonly err: Writer
  /** Standard input. */
  readonly input?: () => AsyncIterable<Buffer>
  /** Asks the user at the terminal to type yes, or the given words; undefined without a terminal. */
  readonly confirm?: ((question: string, words?: string) => Promise<boolean>) | undefined
  /** Calls `press` with each key at the terminal until the returned function is called; undefined without a terminal. */
  readonly keys?: ((press: (key: string) => void) => () => void) | undefined
  /** Resolves to the name of the first signal to stop. */
  stopped(): Promise<string>
}

export interface Writer {
  write(text: string): void
  /** Writes a line of the log, or drops it while the reader is far behind. */
  readonly writeLine?: (line: string) => void
  /** Whether it is a terminal. */
  readonly terminal: boolean
  /** Whether the terminal shows colours (see NO_COLOR). */
  readonly colours: boolean
  /** Aborted when the reader exits, as with `| head`. */
  readonly gone?: AbortSignal
  /** Resolves to the error of writing the output, such as a full disk. */
  readonly lost?: () => Promise<Error | undefined>
}

/** Returns the command that runs this program: in a checkout, `npm start` runs it. */
export const programIn = ({ npm_lifecycle_event, npm_package_name }: Process['env']) =>
  npm_lifecycle_event === 'start' && npm_package_name === 'payments-sandbox'
    ? 'npm start --'
    : 'payments-sandbox'

type Signals = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on'>

export function systemProcess(system: Signals, env: Process['env']): Process {
  const output = createOutput((bytes) => writeSync(system.stdout.fd, bytes))
  system.on('exit', output.flushAtExit)
  return {
    env,
    out: { ...output, ...terminalOf(system.stdout) },
    err: { write: (text) => void system.stderr.write(text), ...terminalOf(system.stderr) },
    confirm:
      system.stdin.isTTY && system.stderr.isTTY ? (text, words) => confirmAt(system, text, words) : undefined,
    keys: system.stdin.isTTY ? (press) => keysAt(system, press) : undefined,
    input: () => system.stdin as AsyncIterable<Buffer>,
    stopped: () =>
      new Promise((resolve) => {
        // Ignores repeated signals; npm sends Ctrl-C twice.
        for (const signal of ['SIGINT', 'SIGTERM'] as const) system.on(signal, () => resolve(signal))
      }),
  }
}

/** Resolves to whether the user typed yes, or the words; Ctrl-C and Ctrl-D mean no. */
function confirmAt({ stdin, stderr }: Signals, question: string, words?: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr })
  return new Promise((resolve) => {
    lines.on('close', () => resolve(false))
    lines.on('SIGINT', () => lines.close())
    lines.question(`${question} ${words === undefined ? '[y/N]' : `[type ${words}]`} `, (typed) => {
      resolve(words === undefined ? /^y(es)?$/i.test(typed.trim()) : typed.trim() === words)
      lines.close()
    })
  })
}

function keysAt({ stdin }: Signals, press: (key: string) => void): () => void {
  const onData = (data: Buffer) => {
    for (const key of data.toString('utf8')) press(key)
  }
  stdin.setRawMode(true)
  stdin.on('data', onData).resume()
  return () => {
    stdin.off('data', onData).pause()
    stdin.setRawMode(false)
  }
}

function terminalOf(stream: NodeJS.WriteStream): Pick<Writer, 'terminal' | 'colours'> {
  const terminal = stream.isTTY === true
  return { terminal, colours: terminal && stream.hasColors() }
}
