/** Sends a request and waits for its callbacks. */
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'
import type { Target } from './draft.ts'
import { type Credentials, readerAt } from './reader.ts'

export interface Answered {
  readonly status: number
  readonly statusText: string
  readonly ms: number
  /** The parsed JSON, or the text. */
  readonly body: unknown
  readonly credentials: Credentials
}

export interface Arrived {
  readonly state: string
  readonly url: string
  /** The receiver's status; null without a response. */
  readonly answered: number | null
  readonly body: unknown
}

/** @throws {Error} with a message for the reader */
export async function send(
  sheet: ShownSheet,
  server: string,
  target: Target,
  signal: AbortSignal,
): Promise<Answered> {
  const first = await attempt(sheet, server, target, signal, false)
  // A reader's world is deleted after about an hour without calls.
  return first.status === 401 ? attempt(sheet, server, target, signal, true) : first
}

async function attempt(
  sheet: ShownSheet,
  server: string,
  { method, url, body }: Target,
  signal: AbortSignal,
  anew: boolean,
): Promise<Answered> {
  try {
    const credentials = await readerAt(server, sheet, anew)
    const began = performance.now()
    const answer = await fetch(url, {
      method,
      signal,
      credentials: 'omit',
      headers: {
        ...authorized(credentials),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    })
    const text = await answer.text()
    const ms = Math.round(performance.now() - began)
    return { status: answer.status, statusText: answer.statusText, ms, body: jsonIn(text), credentials }
  } catch (error) {
    if (error instanceof TypeError) throw new Error(unreachable(server), { cause: error })
    throw error
  }
}

const unreachable = (server: string) =>
  `${server} did not answer this page: it is not running, the connection was cut, or SANDBOX_CORS_ORIGINS does not name ${location.origin}`

const authorized = ({ username, password }: Credentials) => ({
  Authorization: `Basic ${btoa(`${username}:${password}`)}`,
})

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Seconds to wait for the first callback and for further ones, and the maximum number shown. */
const [FIRST, MORE, MOST] = [60, 10, 10]

/**
 * Reports each callback of a transaction once.
 * @returns when the wait is over
 */
export async function follow(
  server: string,
  credentials: Credentials,
  reference: string,
  signal: AbortSignal,
  onArrived: (arrived: Arrived) => void,
): Promise<void> {
  const query = new URLSearchParams({ reference, state: 'final', timeout: `${FIRST}s` })
  const options = { signal, credentials: 'omit', headers: authorized(credentials) } as const
  let seen = 0
  // With one callback there, each further request returns at once: a wait without a result would be an error in the console.
  for (let second = 0; second <= MORE && seen < MOST; second++) {
    if (second > 0) await new Promise((resolve) => setTimeout(resolve, 1_000))
    const answer = await fetch(`${server}/sandbox/callbacks/wait?${query}`, options)
    if (!answer.ok) return
    const { callbacks } = (await answer.json()) as { readonly callbacks: readonly Callback[] }
    for (const each of callbacks.slice(seen, MOST)) onArrived(arrivedOf(each))
    seen = callbacks.length
  }
}

interface Callback {
  readonly callback: { readonly state: string; readonly url: string; readonly last_status: number | null }
  readonly body: string
  readonly attempts: readonly { readonly request: { readonly body: string } }[]
}

const arrivedOf = ({ callback, body, attempts }: Callback): Arrived => ({
  state: callback.state,
  url: callback.url,
  answered: callback.last_status,
  body: jsonIn(attempts.at(-1)?.request.body ?? body),
})
