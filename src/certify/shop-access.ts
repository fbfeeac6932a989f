import { spawn } from 'node:child_process'
import { later, systemWall } from '../lib/clock/clock.ts'
import { type Exchange, type Header, headerList, kept } from './evidence.ts'
import { fill, fillText, type Values } from './expressions.ts'
import { within } from './waiting.ts'
import type { Call, HttpCall, Receivers } from './profile.ts'

/** A precondition of a check did not hold. The message names it. */
export class InconclusiveError extends Error {
  override readonly name: string = 'InconclusiveError'
}

/** The shop took no payment after its trigger. */
export class NoPaymentError extends InconclusiveError {
  override readonly name = 'NoPaymentError'
  readonly isConnectionRefused: boolean

  constructor(message: string, isConnectionRefused: boolean) {
    super(message)
    this.isConnectionRefused = isConnectionRefused
  }
}

/** The result of an action. */
export interface ActionResult {
  readonly ok: boolean
  /** The answer or output. */
  readonly text: string
  /** The error; empty on success. */
  readonly error: string
  readonly exchange: Exchange
}

export interface ShopAccess {
  readonly ask: SendRequest
  /** Gives instructions to a person. */
  readonly say: (text: string) => void
  /** Aborted when the run ends. */
  readonly ended: AbortSignal
}

/** Time limit of an action in the shop, milliseconds. */
const ACT_LIMIT = 30_000

/** Performs an action in the shop: a request, a shell command, a function, or instructions for a person. */
export async function act(
  { ask, say, ended }: ShopAccess,
  what: Call | (() => unknown),
  values: Values,
  kind: 'trigger' | 'probe',
  limit = ACT_LIMIT,
): Promise<ActionResult> {
  ended.throwIfAborted()
  if (typeof what === 'function') return called(what, kind, limit)
  if ('http' in what) return asked(ask, what.http, values, kind, limit)
  if ('command' in what) return ran(what.command, values, kind, limit, ended)
  const text = what.manual === true ? instruction(values) : fillText(what.manual, values)
  say(text)
  return { ok: true, text: '', error: '', exchange: blank(kind, 'MANUAL', text) }
}

const instruction = ({ order, amount, phone }: Values) =>
  `Pay the order ${order}: ${amount} shillings from the phone ${phone}.`

async function asked(
  ask: SendRequest,
  http: HttpCall,
  values: Values,
  kind: 'trigger' | 'probe',
  limit: number,
): Promise<ActionResult> {
  const { url, body, headers = {} } = http
  const filled = body === undefined ? undefined : fill(body, values)
  const isText = typeof body === 'string'
  const sent = filled === undefined ? undefined : isText ? String(filled) : JSON.stringify(filled)
  const method = http.method ?? (sent === undefined && kind === 'probe' ? 'GET' : 'POST')
  const all = {
    ...(sent !== undefined && !isText && { 'content-type': 'application/json' }),
    ...(fill(headers, values) as Record<string, string>),
  }
  const asking = { method, url: fillText(url, values), headers: all, body: sent, limit }
  const { exchange, text } = await ask(asking, kind, kind)
  const { response: answer } = exchange
  const error = answer
    ? answer.status < 400
      ? ''
      : `${method} ${exchange.url} responded with ${answer.status}${excerptOf(text)}`
    : `${method} ${exchange.url}: ${exchange.error}`
  return { ok: error === '', text, error, exchange }
}

/** Returns the beginning of a plain text response. */
function excerptOf(text: string): string {
  const excerpt = text.replace(/\s+/g, ' ').trim()
  return excerpt === '' || excerpt.startsWith('<') ? '' : `: ${excerpt.slice(0, MAX_EXCERPT)}`
}

/** Maximum characters shown of an error response. */
const MAX_EXCERPT = 120

async function ran(
  command: string,
  values: Values,
  kind: 'trigger' | 'probe',
  limit: number,
  ended: AbortSignal,
): Promise<ActionResult> {
  const began = systemWall()
  const { ok, out, error } = await runCommand(command, values, limit, ended)
  const exchange = blank(kind, 'RUN', command, began)
  const answer = ok ? { status: 0, headers: [], body: kept(out) } : null
  return {
    ok,
    text: out,
    error: ok ? '' : `${command}: ${error}`,
    exchange: { ...exchange, response: answer, error },
  }
}

async function called(work: () => unknown, kind: 'trigger' | 'probe', limit: number): Promise<ActionResult> {
  const began = systemWall()
  const running = (async () => ({ value: await work() }))()
  try {
    const done = await within(limit, running)
    const error = done ? '' : `the function did not end within ${limit} ms`
    const text = done && done.value !== undefined ? (JSON.stringify(done.value) ?? '') : ''
    return { ok: done !== undefined, text, error, exchange: { ...blank(kind, 'CALL', '', began), error } }
  } catch (thrown) {
    const error = `the function threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`
    return { ok: false, text: '', error, exchange: { ...blank(kind, 'CALL', '', began), error } }
  } finally {
    running.catch(() => {})
  }
}

function blank(kind: 'trigger' | 'probe', method: string, url: string, began = systemWall()): Exchange {
  return {
    kind,
    label: kind,
    at: new Date(began).toISOString(),
    duration_ms: systemWall() - began,
    method,
    url,
    request: { headers: [], body: '' },
    response: null,
    error: '',
  }
}

export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly body?: string | undefined
  /** Time limit in milliseconds. */
  readonly limit: number
}

/** An exchange with a longer part of the answer. */
export interface OutgoingAnswer {
  readonly exchange: Exchange
  /** The first megabyte of the answer, or an empty text. */
  readonly text: string
}

export type SendRequest = (
  asking: OutgoingRequest,
  kind: Exchange['kind'],
  label: string,
) => Promise<OutgoingAnswer>

/** Maximum characters read of an answer. */
const MAX_READ = 1_048_576

/**
 * Returns a function that sends requests to receivers in this process by origin, or over the network. It throws only when
 * the run is stopped.
 */
export function requestSender(receivers: Receivers, ended: AbortSignal): SendRequest {
  const send = async (request: Request) => {
    const receiver = receivers[new URL(request.url).origin]
    return receiver ? receiver(request) : fetch(request)
  }
  return async ({ method, url, headers = {}, body, limit }, kind, label) => {
    ended.throwIfAborted()
    const began = systemWall()
    const sent: readonly Header[] = headerList(Object.entries(headers))
    const base = { kind, label, at: new Date(began).toISOString(), method, url }
    const request = { headers: sent, body: kept(body ?? '') }
    try {
      const signal = AbortSignal.any([ended, AbortSignal.timeout(limit)])
      const made = new Request(url, {
        method,
        headers,
        redirect: 'manual',
        signal,
        ...(body !== undefined && { body }),
      })
      const [answer, text] = await Promise.race([read(send(made)), aborted(signal)])
      const { status, headers: got } = answer
      const exchange = { status, headers: headerList(got), body: kept(text) }
      return {
        text,
        exchange: {
          ...base,
          request,
          response: exchange,
          error: '',
          duration_ms: systemWall() - began,
        },
      }
    } catch (error) {
      ended.throwIfAborted()
      const exchange = { ...base, request, response: null, error: reasonOf(error, limit) }
      return { text: '', exchange: { ...exchange, duration_ms: systemWall() - began } }
    }
  }
}

async function read(answering: Promise<Response>): Promise<readonly [Response, string]> {
  const answer = await answering
  if (!answer.body) return [answer, '']
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    if (text.length < MAX_READ) continue
    void reader.cancel().catch(() => {})
    break
  }
  return [answer, text]
}

/** Rejects when the signal is aborted, since receivers in this process may ignore it. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })

function reasonOf(error: unknown, limit: number): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError' || name === 'AbortError') return `no response within ${limit} ms`
  const { code } = cause ?? {}
  if (code === 'ECONNREFUSED') return 'nothing listens there (connection refused)'
  if (code === 'ENOTFOUND') return 'the name does not resolve'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return 'the connection was closed without a response'
  return [message, code ?? cause?.message].filter(Boolean).join(': ')
}

/** The result of a command. */
interface CommandResult {
  readonly ok: boolean
  /** The beginning of its output. */
  readonly out: string
  /** The error in one sentence; empty on success. */
  readonly error: string
}

/** Maximum characters kept of a command's output. */
const MAX_OUTPUT = 65_536

/**
 * Runs a command. Values are passed as shell variables, which prevents injection.
 * @param limit - Milliseconds after which the command is killed with its children.
 */
export function runCommand(
  command: string,
  values: Values,
  limit: number,
  ended: AbortSignal,
): Promise<CommandResult> {
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
      if (out.length < MAX_OUTPUT) out += chunk.toString().slice(0, MAX_OUTPUT - out.length)
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
      const reason = complaints.trim() === '' ? '' : `: ${complaints.trim().slice(0, 300)}`
      end(code === 0 ? '' : `it ended with ${code === null ? signal : `exit code ${code}`}${reason}`)
    })
  })
}

/** Omits `env.NAME`, which is not a valid variable name; commands use `$NAME`. */
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
    // The process has already ended.
  }
}
