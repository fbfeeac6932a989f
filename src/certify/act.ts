/** What a profile has done in the shop: by a request, a command, a function or somebody who is told. */
import { systemWall } from '../lib/clock/clock.ts'
import type { Exchange } from './certification.ts'
import { runCommand } from './command.ts'
import { kept } from './exchange.ts'
import { fill, fillText, type Values } from './fill.ts'
import { within } from './pause.ts'
import type { Call, HttpCall } from './profile.ts'
import type { Ask } from './send.ts'

/** How it went. */
export interface Done {
  readonly ok: boolean
  /** What came back, to be read. */
  readonly text: string
  /** Why it is not all right; empty when it is. */
  readonly error: string
  readonly exchange: Exchange
}

export interface Hands {
  readonly ask: Ask
  /** Tells a person what to do. */
  readonly say: (text: string) => void
  /** Aborted when nothing is to be done any more. */
  readonly ended: AbortSignal
}

/** Whatever is started in the shop has so long to end, milliseconds. */
export const ACT_LIMIT = 30_000

/** @param limit milliseconds */
export async function act(
  { ask, say, ended }: Hands,
  what: Call | (() => unknown),
  values: Values,
  kind: 'trigger' | 'probe',
  limit = ACT_LIMIT,
): Promise<Done> {
  ended.throwIfAborted()
  if (typeof what === 'function') return called(what, kind, limit)
  if ('http' in what) return asked(ask, what.http, values, kind, limit)
  if ('command' in what) return ran(what.command, values, kind, limit, ended)
  const text = what.manual === true ? asWords(values) : fillText(what.manual, values)
  say(text)
  return { ok: true, text: '', error: '', exchange: blank(kind, 'MANUAL', text) }
}

const asWords = ({ order, amount, phone }: Values) =>
  `Pay the order ${order}: ${amount} shillings from the phone ${phone}.`

async function asked(
  ask: Ask,
  http: HttpCall,
  values: Values,
  kind: 'trigger' | 'probe',
  limit: number,
): Promise<Done> {
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
  const { answer } = exchange
  const error = answer
    ? answer.status < 400
      ? ''
      : `${method} ${exchange.url} answered ${answer.status}${saidIn(text)}`
    : `${method} ${exchange.url}: ${exchange.error}`
  return { ok: error === '', text, error, exchange }
}

/** How an answer begins that says why in a few words; a page says nothing of use there. */
function saidIn(text: string): string {
  const said = text.replace(/\s+/g, ' ').trim()
  return said === '' || said.startsWith('<') ? '' : `: ${said.slice(0, MOST_SAID)}`
}

/** Characters of what the shop says of a request that it refuses. */
const MOST_SAID = 120

async function ran(
  command: string,
  values: Values,
  kind: 'trigger' | 'probe',
  limit: number,
  ended: AbortSignal,
): Promise<Done> {
  const began = systemWall()
  const { ok, out, error } = await runCommand(command, values, limit, ended)
  const told = blank(kind, 'RUN', command, began)
  const answer = ok ? { status: 0, headers: [], body: kept(out) } : null
  return { ok, text: out, error: ok ? '' : `${command}: ${error}`, exchange: { ...told, answer, error } }
}

async function called(work: () => unknown, kind: 'trigger' | 'probe', limit: number): Promise<Done> {
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
    answer: null,
    error: '',
  }
}
