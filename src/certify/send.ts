/** Requests of certify itself: to the shop's trigger, its probe and its receiver. */
import { systemWall } from '../lib/clock/clock.ts'
import type { Exchange, Header } from './certification.ts'
import { headerList, kept } from './exchange.ts'
import type { Receivers } from './profile.ts'

export interface Asking {
  readonly method: string
  readonly url: string
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly body?: string | undefined
  /** Milliseconds until it is given up. */
  readonly limit: number
}

/** An answer with more of its body than an exchange keeps. */
export interface Answered {
  readonly exchange: Exchange
  /** The first megabyte of the answer; empty when none came. */
  readonly text: string
}

export type Ask = (asking: Asking, kind: Exchange['kind'], label: string) => Promise<Answered>

/** What of an answer is read: whoever sends more is not waited for. */
const MOST_READ = 1_048_576

/**
 * Sends requests to receivers of this process where the address is one of theirs, else over the network. Throws nothing but the
 * reason why all is ended.
 */
export function asker(receivers: Receivers, ended: AbortSignal): Ask {
  const send = async (request: Request) => {
    const receiver = receivers[new URL(request.url).origin]
    return receiver ? receiver(request) : fetch(request)
  }
  return async ({ method, url, headers = {}, body, limit }, kind, label) => {
    ended.throwIfAborted()
    const began = systemWall()
    const sent: readonly Header[] = headerList(Object.entries(headers))
    const told = { kind, label, at: new Date(began).toISOString(), method, url }
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
          ...told,
          request,
          answer: exchange,
          error: '',
          duration_ms: systemWall() - began,
        },
      }
    } catch (error) {
      ended.throwIfAborted()
      const exchange = { ...told, request, answer: null, error: reasonOf(error, limit) }
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
    if (text.length < MOST_READ) continue
    void reader.cancel().catch(() => {})
    break
  }
  return [answer, text]
}

/** Receivers of this process need not look at the signal. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })

function reasonOf(error: unknown, limit: number): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError' || name === 'AbortError') return `no answer within ${limit} ms`
  const { code } = cause ?? {}
  if (code === 'ECONNREFUSED') return 'nothing listens there (connection refused)'
  if (code === 'ENOTFOUND') return 'the name does not resolve'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection was closed without an answer'
  return [message, code ?? cause?.message].filter(Boolean).join(': ')
}
