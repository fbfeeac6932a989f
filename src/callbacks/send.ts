import type { IncomingMessage } from 'node:http'
import type { Tls } from '../service/vocabulary/receiver-protection.ts'

export interface OutgoingCallback {
  readonly world: string
  readonly url: string
  /** POST by default. GET and HEAD have no body. */
  readonly method?: string | undefined
  readonly body: string
  readonly headers: { readonly [name: string]: string }
  /** Maximum milliseconds until the status of the response. */
  readonly timeout?: number
  /** Bytes to write before the connection is cut, or null for all. */
  readonly cutAt?: number | null
  /** Whether to send the body slowly. */
  readonly slow?: boolean
  /** A client certificate, and authorities of the receiver. */
  readonly tls?: Tls | undefined
  /** Whether to cut the connection before the response. */
  readonly loseAnswer?: boolean
}

/** The receiver's response, or a null status with the reason. */
export interface SendResult extends Partial<Omit<Answer, 'status'>> {
  readonly status: number | null
  readonly error: string
  /** An error code such as ECONNREFUSED. */
  readonly code?: string | undefined
  /** The remedy, if the error implies one. */
  readonly advice?: string
}

/** Sends a callback. Never rejects; resolves to undefined if the sandbox was closed meanwhile. */
export type Send = (outgoing: OutgoingCallback) => Promise<SendResult | undefined>

export interface Answer {
  readonly status: number | null
  readonly headers: { readonly [name: string]: string }
  /** The first 4 KiB. */
  readonly body: string
}

/** Maximum bytes kept of a response body. */
const ANSWER_KEPT = 4096

/** Reads the head of a response and the beginning of its body. Never rejects: the status counts even if the body breaks off. */
export function readAnswer(response: IncomingMessage): Promise<Answer> {
  return new Promise((resolve) => {
    const kept: Buffer[] = []
    let size = 0
    const done = () =>
      resolve({
        status: response.statusCode ?? null,
        headers: headersOf(response),
        body: Buffer.concat(kept).subarray(0, ANSWER_KEPT).toString('utf8'),
      })
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      kept.push(chunk)
      if (size > ANSWER_KEPT) response.destroy()
    })
    response.on('error', done)
    response.on('close', done)
    response.on('end', done)
  })
}

function headersOf({ headers }: IncomingMessage): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : `${value}`,
    ]),
  )
}
