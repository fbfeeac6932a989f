import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { createServer } from 'node:net'
import { root } from './settings.ts'

/** How to start a server; `{port}` in the arguments is replaced by the port. */
export interface Command {
  readonly program?: string
  readonly args: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** Request that returns 200, if it differs from the others'. */
  readonly probe?: { readonly path: string; readonly authorization: string }
}

export interface Running {
  readonly port: number
  /** Milliseconds from the start of the process to the first 200. */
  readonly firstAnswer: number
  /** Resident memory, in MB. */
  memory(): number
  /** CPU time so far, in microseconds; NaN if the system does not report it. */
  cpu(): number
  /** Sends a message to the process; only our own scripts reply. */
  ask(question: string): Promise<unknown>
  stop(): Promise<void>
}

/** Time limit for the first 200, in milliseconds. */
const PATIENCE = 600_000

/**
 * Starts a server and waits for its first 200 at `path`.
 * @param password - Password of the API key `demo`
 * @throws {Error} If the server exits or exceeds the time limit.
 */
export async function start(
  { program = process.execPath, args, env, probe }: Command,
  path: string,
  password = 'demo',
): Promise<Running> {
  const port = await freePort()
  const from = performance.now()
  const child = spawn(
    program,
    args.map((each) => each.replaceAll('{port}', String(port))),
    {
      cwd: root,
      env: { ...process.env, LOG_LEVEL: 'silent', PORT: String(port), NO_COLOR: '1', ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  )
  let complaint = ''
  child.stderr!.on('data', (text: Buffer) => (complaint = (complaint + text.toString()).slice(-2_000)))
  try {
    const authorization = `Basic ${Buffer.from(`demo:${password}`).toString('base64')}`
    await firstOk(child, port, probe ?? { path, authorization }, from + PATIENCE)
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`${args.join(' ')}: ${(error as Error).message}\n${complaint}`, { cause: error })
  }
  const firstAnswer = performance.now() - from
  return {
    port,
    firstAnswer,
    memory: () => memoryOf(child.pid!),
    cpu: () => cpuOf(child.pid!),
    async ask(question) {
      child.send(question)
      const [answer] = (await once(child, 'message')) as [unknown]
      return answer
    },
    stop: () => stop(child),
  }
}

async function firstOk(
  child: ChildProcess,
  port: number,
  probe: NonNullable<Command['probe']>,
  until: number,
): Promise<void> {
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`ended with code ${child.exitCode}`)
    if ((await statusOf(port, probe)) === 200) return
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  throw new Error(`no 200 at ${probe.path} within ${PATIENCE / 1000} s`)
}

const statusOf = (port: number, { path, authorization }: NonNullable<Command['probe']>) =>
  new Promise<number>((resolve) => {
    const request = http.get(
      {
        host: '127.0.0.1',
        port,
        path,
        agent: false,
        headers: { authorization },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    request.on('error', () => resolve(0))
  })

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 3_000)
  await ended
  clearTimeout(timer)
}

const memoryOf = (pid: number) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024

/** Linux counts in hundredths of a second. */
function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return Number.NaN
  }
}
