/** Commands of the shell that a profile has. */
import { spawn } from 'node:child_process'
import { later } from '../lib/clock/clock.ts'
import { fillText, type Values } from './fill.ts'

/** How a command ended. */
export interface Ended {
  readonly ok: boolean
  /** The beginning of what it printed. */
  readonly out: string
  /** Of what went wrong, in a sentence; empty when it is all right. */
  readonly error: string
}

/** What is kept of what a command prints; the rest is read and let go. */
const MOST_KEPT = 65_536

/**
 * Runs a command. `${order}` and the like are variables of the shell, so that nothing in them is taken for a command.
 * @param limit milliseconds until it is ended, with all that it started
 * @param ended ends it before
 */
export function runCommand(
  command: string,
  values: Values,
  limit: number,
  ended: AbortSignal,
): Promise<Ended> {
  const windows = process.platform === 'win32'
  const text = windows ? fillText(command, values) : `${assigned(values)}${command}`
  return new Promise((resolve) => {
    const child = spawn(text, { shell: true, detached: !windows, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let complaints = ''
    let late = false
    const kill = () => endAll(child.pid, windows)
    ended.addEventListener('abort', kill)
    const stop = later(limit, () => {
      late = true
      kill()
    })
    child.stdout.on('data', (chunk: Buffer) => {
      if (out.length < MOST_KEPT) out += chunk.toString().slice(0, MOST_KEPT - out.length)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaints.length < 400) complaints += chunk.toString().slice(0, 400)
    })
    const end = (error: string) => {
      stop()
      ended.removeEventListener('abort', kill)
      resolve({ ok: error === '', out, error })
    }
    child.on('error', (error) => end(error.message))
    child.on('close', (code, signal) => {
      if (late) return end(`it did not end within ${limit} ms`)
      const said = complaints.trim() === '' ? '' : `: ${complaints.trim().slice(0, 300)}`
      end(code === 0 ? '' : `it ended with ${code === null ? signal : `exit code ${code}`}${said}`)
    })
  })
}

/** Names such as `env.NAME` are no variables; whoever writes a command has `$NAME`. */
const assigned = (values: Values): string =>
  Object.entries(values)
    .filter(([name]) => /^\w+$/.test(name))
    .map(([name, value]) => `export ${name}='${String(value).replaceAll("'", `'\\''`)}'; `)
    .join('')

function endAll(pid: number | undefined, windows: boolean): void {
  if (pid === undefined) return
  try {
    process.kill(windows ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
