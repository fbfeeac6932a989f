import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'esbuild'
import { engineSettings } from './engine.ts'
import { temporaryFolder } from './folder.ts'
import { within } from './within.ts'

export interface Running {
  /** Where it listens, e.g. `http://127.0.0.1:40123`. */
  readonly url: string
  readonly child: ChildProcess
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Ended>
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where a sandbox says that it listens, in what it has printed so far. */
export const listeningAt = (printed: string): string | undefined =>
  /"event":"listening".*"url":"(http:[^"]+)"/.exec(printed)?.[1]

const children = new Set<ChildProcess>()

/** Kills those of the test that is over. */
export function killProcesses(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Starts the server as its user does and waits until it says where it listens. */
export async function startProcess(
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Running> {
  const { child, ended, output } = await launch(env, args)
  const url = await within<string | undefined>('the printed address', 60_000, (found) => {
    const look = () => {
      const address = listeningAt(output.stdout)
      if (address) found(address)
    }
    child.stdout!.on('data', look)
    child.on('exit', () => found(undefined))
  })
  if (url === undefined) throw new Error(`it did not start: ${output.stderr}`)
  return {
    url,
    child,
    async stop(signal) {
      child.kill(signal)
      return ended
    },
  }
}

/** Starts a server that is expected to refuse, and waits for its end. */
export const failingStart = async (env: Record<string, string>): Promise<Ended> => (await launch(env)).ended

/** Runs a command to its end. */
export const runToEnd = async (...args: string[]): Promise<Ended> => (await launch({}, args)).ended

/** Bundles a script, whose process then starts in a tenth of the time that tsx takes. @returns Its file. */
export async function bundledScript(contents: string): Promise<string> {
  const outfile = join(temporaryFolder(), 'script.mjs')
  const stdin = { contents, resolveDir: process.cwd(), loader: 'ts' } as const
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' })
  return outfile
}

async function launch(env: Record<string, string>, args: readonly string[] = []) {
  const settings = { ...(await engineSettings(env)), ...env }
  const child = spawn(process.execPath, ['build/run.mjs', ...args], {
    cwd: new URL('../..', import.meta.url),
    env: { PATH: process.env['PATH'], PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = once(child, 'close').then(([code]): Ended => {
    children.delete(child)
    return { code: code as number | null, ...output }
  })
  return { child, ended, output }
}

/** A request to a running server as `demo`, or as another user; keeps the connection alive. */
export async function ask(
  server: { readonly url: string },
  method: string,
  path: string,
  body?: unknown,
  credentials = 'demo:demo',
) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
}
