import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const root = new URL('../..', import.meta.url).pathname

/** A sandbox that is process 1 of its own namespace, as in a container. */
export interface Contained {
  /** Its address. */
  readonly url: string
  /** Its output so far. */
  output(): string
  /** Sends a signal to the sandbox. */
  signal(signal: NodeJS.Signals): void
  readonly ended: Promise<unknown>
}

/**
 * Starts a sandbox on the file and waits until it listens.
 * @param contained - If false, in the namespace of this process, where a dead process is detected immediately.
 * @throws {Error} With its output if it does not listen.
 */
export async function startContained(
  db: string,
  env: Record<string, string> = {},
  contained = true,
): Promise<Contained> {
  const words = [process.execPath, 'dist/cli.js']
  if (contained) words.unshift('unshare', '--pid', '--fork', '--mount-proc', '--kill-child')
  const child = spawn(words[0]!, words.slice(1), {
    cwd: root,
    env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', SANDBOX_DB: db, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const take = (text: Buffer) => void (output += text.toString())
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const ended = once(child, 'close')
  const url = await new Promise<string | undefined>((resolve) => {
    const look = () => {
      const address = /"event":"listening".*"url":"(http:[^"]+)"/.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout.on('data', look)
    void ended.then(() => resolve(undefined))
  })
  if (url === undefined) throw new Error(output.trim())
  return {
    url,
    ended,
    output: () => output,
    signal: (signal) => process.kill(contained ? insideOf(child) : child.pid!, signal),
  }
}

/** The sandbox is the child of `unshare`. */
function insideOf({ pid }: ChildProcess): number {
  const inside = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  if (inside === '') throw new Error('the sandbox is over already')
  return Number(inside)
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends a request as `demo`. */
export async function ask(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(60_000),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

export const pay = (url: string, external_reference: string) =>
  ask(url, 'POST', '/api/v2/payments', {
    amount: 10,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference,
    callback_url: 'http://127.0.0.1:9/none',
  })

export const isKept = async (url: string, request_id: string) =>
  (await ask(url, 'POST', '/api/global/transaction-status', { request_id })).status === 200

/** Mounts a memory disk of some KiB. Returns a function that unmounts it. @throws {Error} If that is not permitted. */
export function mountSmallDisk(folder: string, kib: number): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'small', folder], { stdio: 'pipe' })
  return () => void execFileSync('umount', [folder], { stdio: 'pipe' })
}
