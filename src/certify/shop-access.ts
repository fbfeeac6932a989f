import { spawn } from 'node:child_process'
import https from 'node:https'
import { Readable } from 'node:stream'
import { later, systemWall } from '../lib/clock/clock.ts'
import type { Exchange } from './certification.ts'
import { headerList, kept } from './evidence.ts'
import { fill, fillText, type Values } from './expressions.ts'
import type { Call, HttpCall, Receivers } from './profile.ts'
import type { Tls } from '../service/vocabulary/receiver-protection.ts'
import { unlessAborted, within } from './waiting.ts'

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

export interface ActionResult {
  readonly ok: boolean
  readonly text: string
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

type ActionKind = 'trigger' | 'probe'

/** Time limit of an action in the shop, milliseconds. */
const ACT_LIMIT = 30_000

/** Performs an action in the shop: a request, a shell command, a function, or instructions for a person. */
export async function act(
  access: ShopAccess,
  what: Call | (() => unknown),
  values: Values,
  kind: ActionKind,
  limit = ACT_LIMIT,
): Promise<ActionResult> {
  access.ended.throwIfAborted()
  if (typeof what !== 'function' && 'http' in what) return asked(access, what.http, values, kind, limit)
  const began = systemWall()
  const ended = (method: string, url: string, text: string, error: string, answer?: Exchange['response']) => {
    const at = { at: new Date(began).toISOString(), duration_ms: systemWall() - began, method, url }
    const request = { headers: [], body: '' }
    const exchange: Exchange = { kind, label: kind, ...at, request, response: answer ?? null, error }
    return { ok: error === '', text, error, exchange }
  }
  if (typeof what === 'function') {
    const { value, error } = await called(what, limit)
    return ended('CALL', '', value === undefined ? '' : (JSON.stringify(value) ?? ''), error)
  }
  if ('command' in what) {
    const { out, error } = await runCommand(what.command, values, limit, access.ended)
    const answer = error === '' ? { status: 0, headers: [], body: kept(out) } : null
    const { exchange, ...result } = ended('RUN', what.command, out, error, answer)
    return { ...result, error: error && `${what.command}: ${error}`, exchange }
  }
  const { order, amount, phone } = values
  const usual = `Pay the order ${order}: ${amount} shillings from the phone ${phone}.`
  const text = what.manual === true ? usual : fillText(what.manual, values)
  access.say(text)
  return ended('MANUAL', text, '', '')
}

const MAX_EXCERPT = 120

async function asked(
  { ask }: ShopAccess,
  { url, body, headers = {}, method: named }: HttpCall,
  values: Values,
  kind: ActionKind,
  limit: number,
): Promise<ActionResult> {
  const filled = body === undefined ? undefined : fill(body, values)
  const isText = typeof body === 'string'
  const sent = filled === undefined ? undefined : isText ? String(filled) : JSON.stringify(filled)
  const method = named ?? (sent === undefined && kind === 'probe' ? 'GET' : 'POST')
  const all = {
    ...(sent !== undefined && !isText && { 'content-type': 'application/json' }),
    ...(fill(headers, values) as Record<string, string>),
  }
  const asking = { method, url: fillText(url, values), headers: all, body: sent, limit }
  const { exchange, text } = await ask(asking, kind, kind)
  const { response: answer } = exchange
  if (answer && answer.status < 300) return { ok: true, text, error: '', exchange }
  const excerpt = text.replace(/\s+/g, ' ').trim()
  const shown = excerpt === '' || excerpt.startsWith('<') ? '' : `: ${excerpt.slice(0, MAX_EXCERPT)}`
  const to = answer?.headers.find(({ name }) => name.toLowerCase() === 'location')?.value
  const redirect = to === undefined ? '' : `, a redirect to ${to}, which is not followed`
  const why = answer ? ` responded with ${answer.status}${redirect}${shown}` : `: ${exchange.error}`
  return { ok: false, text, error: `${method} ${exchange.url}${why}`, exchange }
}

/** The result of a function or command. The error is empty on success. */
async function called(work: () => unknown, limit: number): Promise<{ value?: unknown; error: string }> {
  const running = (async () => ({ value: await work() }))()
  running.catch(() => {})
  try {
    const done = await within(limit, running)
    return done ? { ...done, error: '' } : { error: `the function did not end within ${limit} ms` }
  } catch (thrown) {
    return { error: `the function threw: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
}

export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly body?: string | undefined
  readonly limit: number
  readonly tls?: Tls | undefined
}

/** A response with at most a megabyte of its body, or the reason for a missing one. */
export interface Answered {
  readonly response?: {
    readonly status: number
    readonly headers: Iterable<readonly [string, string]>
    readonly text: string
  }
  readonly error?: string
}

/** Sends a request to the shop. Throws only when the signal is aborted. */
export type SendToShop = (request: OutgoingRequest, signal: AbortSignal) => Promise<Answered>

export type SendRequest = (
  asking: OutgoingRequest,
  kind: Exchange['kind'],
  label: string,
) => Promise<{ readonly exchange: Exchange; readonly text: string }>

/**
 * Returns a function that sends requests and records them. It throws only when the run is stopped.
 * @param send - By default, to receivers in this process by origin, and over the network.
 */
export function requestSender(
  receivers: Receivers,
  ended: AbortSignal,
  send: SendToShop = overNetworkOr(receivers),
): SendRequest {
  return async (asking, kind, label) => {
    ended.throwIfAborted()
    const began = systemWall()
    const { response, error = '' } = await send(asking, ended)
    ended.throwIfAborted()
    const { method, url, headers = {}, body = '' } = asking
    const exchange: Exchange = {
      kind,
      label,
      at: new Date(began).toISOString(),
      duration_ms: systemWall() - began,
      method,
      url,
      request: { headers: headerList(Object.entries(headers)), body: kept(body) },
      response: response
        ? { status: response.status, headers: headerList(response.headers), body: kept(response.text) }
        : null,
      error,
    }
    return { exchange, text: response?.text ?? '' }
  }
}

const overNetworkOr =
  (receivers: Receivers): SendToShop =>
  async ({ method, url, headers = {}, body, limit, tls }, ended) => {
    const signal = AbortSignal.any([ended, AbortSignal.timeout(limit)])
    try {
      const request = new Request(url, {
        method,
        headers,
        redirect: 'manual',
        signal,
        ...(body !== undefined && { body }),
      })
      const receiver = receivers[new URL(url).origin]
      const send = async () =>
        receiver ? receiver(request) : tls ? fetchWith(tls, request, body) : fetch(request)
      // Receivers in this process may ignore the signal.
      const answered = await unlessAborted(signal, read(send()))
      if (answered) return { response: answered }
    } catch (error) {
      return { error: reasonOf(error) }
    }
    ended.throwIfAborted()
    return { error: `no response within ${limit} ms` }
  }

const MAX_READ = 1_048_576

/** Sends a request with a client certificate, which `fetch` has no option for. */
const fetchWith = ({ cert, key, ca }: Tls, { url, method, headers, signal }: Request, body = '') =>
  new Promise<Response>((resolve, reject) => {
    const options = {
      method,
      headers: Object.fromEntries(headers),
      signal,
      cert,
      key,
      ca: ca && [...ca],
      agent: false,
    }
    const request = https.request(url, options as https.RequestOptions, (response) => {
      const init = { status: response.statusCode!, headers: response.headers as Record<string, string> }
      const isEmpty = [204, 205, 304].includes(init.status)
      resolve(new Response(isEmpty ? null : (Readable.toWeb(response) as ReadableStream), init))
    })
    request.on('error', reject)
    request.end(body)
  })

async function read(answering: Promise<Response>) {
  const { status, headers, body } = await answering
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length >= MAX_READ) break
  }
  return { status, headers, text }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  const { code } = cause ?? {}
  if (code === 'ECONNREFUSED') return 'nothing listens there (connection refused)'
  if (code === 'ENOTFOUND') return 'the name does not resolve'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return 'the connection was closed without a response'
  return [message, code ?? cause?.message].filter(Boolean).join(': ')
}

/** Maximum characters kept of a command's output, and of its errors. */
const MAX_OUTPUT = 65_536
const MAX_COMPLAINTS = 400

/**
 * Runs a command. Values are passed as shell variables, which prevents injection.
 * @param limit - Milliseconds after which the command is killed with its children.
 */
export function runCommand(
  command: string,
  values: Values,
  limit: number,
  ended: AbortSignal,
): Promise<{ readonly out: string; readonly error: string }> {
  const windows = process.platform === 'win32'
  const text = windows ? fillText(command, values) : `${assigned(values)}${command}`
  return new Promise((resolve) => {
    const child = spawn(text, { shell: true, detached: !windows, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let complaints = ''
    let late = false
    const kill = () => {
      if (child.pid === undefined) return
      try {
        process.kill(windows ? child.pid : -child.pid, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    }
    ended.addEventListener('abort', kill)
    const stop = later(limit, () => {
      late = true
      kill()
    })
    child.stdout.on('data', (chunk: Buffer) => (out = (out + String(chunk)).slice(0, MAX_OUTPUT)))
    child.stderr.on(
      'data',
      (chunk: Buffer) => (complaints = (complaints + String(chunk)).slice(0, MAX_COMPLAINTS)),
    )
    const end = (error: string) => {
      stop()
      ended.removeEventListener('abort', kill)
      resolve({ out, error })
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
