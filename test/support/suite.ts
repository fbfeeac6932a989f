/** What the suites beside the tests have in common: named checks with figures, and a client that waits. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const count = { passed: 0, failed: 0 }

/** Prints the check with the figure it returns, or with what is wrong. */
export async function check(name: string, work: () => Promise<string | void> | string | void) {
  try {
    const figure = await work()
    count.passed += 1
    console.log(`ok    ${name}${figure ? `: ${figure}` : ''}`)
  } catch (error) {
    count.failed += 1
    console.log(`FAIL  ${name}: ${(error as Error).message}`)
  }
}

/** Prints the last line and lets the process end with 1 when a check failed. */
export function finish() {
  console.log(`${count.passed} passed, ${count.failed} failed`)
  process.exitCode = count.failed ? 1 : 0
}

export const since = (from: number) => `${Math.round(performance.now() - from)} ms`

/** Milliseconds: what takes longer hangs, on any machine. */
const HANGS = 60_000

/** Looks every few milliseconds, for a minute. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = performance.now() + HANGS; performance.now() < end;) {
    const seen = await look()
    if (seen) return seen
    await pause(5)
  }
  throw new Error(`${what} did not come within 60 s`)
}

/** Resolves with the first answer of a server that may not listen yet. */
export const answers = (url: string) =>
  until(`an answer from ${url}`, () =>
    fetch(url).then(
      (each) => each.ok,
      () => false,
    ),
  )

export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Readonly<Record<string, unknown>>,
  }
}

/** Collects 100 shillings into Team 63. */
export const pay = (
  url: string,
  external_reference: string,
  callback_url: string,
  headers?: Record<string, string>,
) =>
  post(
    `${url}/api/v2/payments`,
    {
      account_id: 63,
      amount: 100,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      external_reference,
      callback_url,
    },
    headers,
  )

/** Pays and waits for the callback at a receiver of its own; returns the callback's body. */
export async function payAndBeCalled(url: string, external_reference: string) {
  let text = ''
  const receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => response.end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = receiver.address() as AddressInfo
    const answer = await pay(url, external_reference, `http://127.0.0.1:${port}/callback`)
    if (answer.status !== 201) throw new Error(`answered ${answer.status} ${JSON.stringify(answer.body)}`)
    await until('the callback', () => text.endsWith('}'))
    return JSON.parse(text) as { status: string; external_reference: string }
  } finally {
    receiver.close()
  }
}

/** A port that nobody listens on, below those that a system gives to whoever wants any: it is still free a moment later. */
export function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000)
  return new Promise((resolve) => {
    const server = createSocket().once('error', () => resolve(freePort()))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}
