import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const root = new URL('../..', import.meta.url).pathname

/** A sandbox in its own process. */
export interface Sandbox {
  readonly url: string
  signal(signal: NodeJS.Signals): void
  /** The exit code; null after a signal. */
  readonly ended: Promise<number | null>
}

/** Starts a sandbox from a bundle and waits until it listens. @throws {Error} With its output if it does not. */
export async function startSandbox(
  database: string,
  env: Record<string, string> = {},
  folder = root,
): Promise<Sandbox> {
  const child: ChildProcess = spawn(process.execPath, ['bin/payments-sandbox.cjs', 'start'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'error',
      ...databaseSettings(database),
      ...SETTINGS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const url = await new Promise<string | undefined>((resolve) => {
    const take = (text: Buffer) => {
      output += text.toString()
      const address = /"event":"listening".*"url":"(http:[^"]+)"/.exec(output)?.[1]
      if (address) resolve(address)
      if (text.includes('"level":"error"')) process.stderr.write(text)
    }
    child.stdout!.on('data', take)
    child.stderr!.on('data', take)
    void ended.then(() => resolve(undefined))
  })
  if (url === undefined) throw new Error(output.trim())
  return { url, ended, signal: (signal) => void child.kill(signal) }
}

/** @param database - One address, or several separated by commas. */
const databaseSettings = (database: string): Record<string, string> =>
  database.includes(',') ? { SANDBOX_DATABASE_URLS: database } : { SANDBOX_DATABASE_URL: database }

/** Starts to move a world to another shard. */
export function startMove(database: string, world: string, shard: number) {
  const child = spawn(process.execPath, ['bin/payments-sandbox.cjs', 'move', world, '--to', String(shard)], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...databaseSettings(database) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (text: Buffer) => (output += text.toString()))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }))
  return { ended, kill: () => void child.kill('SIGKILL') }
}

const SETTINGS = {
  SANDBOX_SETTLE_AFTER: '1s',
  SANDBOX_REQUEST_LOG_SIZE: '50000',
  SANDBOX_IN_CONTAINER: 'off',
}

export interface Answer {
  readonly status: number
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- checks read what the client sees
  readonly body: any
}

/** Sends a request as `demo`; undefined without a response within `patience` milliseconds. */
export async function ask(
  { url }: { readonly url: string },
  method: string,
  path: string,
  body?: unknown,
  user = 'demo:demo',
  patience = 20_000,
): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Basic ${btoa(user)}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(patience),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return undefined
  }
}

export const pay = (sandbox: { readonly url: string }, external_reference: string, callback_url: string) =>
  ask(sandbox, 'POST', '/api/v2/payments', {
    amount: 10,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference,
    callback_url,
  })

export const statusOf = async (sandbox: Sandbox, request_id: string): Promise<string | undefined> =>
  (await ask(sandbox, 'POST', '/api/global/transaction-status', { request_id }))?.body.status

/** Receives callbacks and counts them by reference. */
export async function startReceiver() {
  /** The `webhook-id`s received for each reference of the payer. */
  const received = new Map<string, string[]>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      const { reference } = JSON.parse(text) as { reference: string }
      received.set(reference, [...(received.get(reference) ?? []), String(request.headers['webhook-id'])])
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    received,
    /** Returns how many were called back more than once. @throws {Error} If one had different ids. */
    requireOnce() {
      for (const [reference, ids] of received)
        assert.equal(new Set(ids).size, 1, `${reference} was called back as ${ids.join()}`)
      return [...received.values()].filter((ids) => ids.length > 1).length
    },
    close: () => void server.close(),
  }
}

/** Waits for a condition. @throws {Error} If it does not become true. */
export async function until(
  what: string,
  seconds: number,
  holds: () => Promise<boolean> | boolean,
): Promise<void> {
  for (const end = performance.now() + seconds * 1_000; !(await holds());) {
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${what}`)
    await pause(100)
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))
