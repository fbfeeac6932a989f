/** The interface of transports for callbacks. */
import type { IncomingMessage } from 'node:http'

export interface OutgoingCallback {
  /** Whose callback it is. */
  readonly world: string
  readonly url: string
  /** POST by default. GET and HEAD have no body. */
  readonly method?: string | undefined
  readonly body: string
  readonly headers: { readonly [name: string]: string }
  /** Milliseconds until the status of an answer must be there. */
  readonly timeout?: number
  /** Bytes to write before the connection is cut, or null for all. */
  readonly cutAt?: number | null
  /** The bytes of the body trickle. */
  readonly slow?: boolean
  /** The connection is cut as soon as all is sent: the answer is lost. */
  readonly loseAnswer?: boolean
}

/** The receiver's answer, or a null status with the reason. */
export interface SendResult extends Partial<Omit<Answer, 'status'>> {
  readonly status: number | null
  readonly error: string
  /** The system's or the sandbox's own name for the error, such as ECONNREFUSED. */
  readonly code?: string | undefined
  /** The remedy, if the error implies one. */
  readonly advice?: string
}

/** POSTs a callback; resolves whatever happens, with undefined when the sandbox itself was closed meanwhile. */
export type Send = (outgoing: OutgoingCallback) => Promise<SendResult | undefined>

/** The answer of a receiver. */
export interface Answer {
  readonly status: number | null
  readonly headers: { readonly [name: string]: string }
  /** The first 4 KiB. */
  readonly body: string
}

/** Maximum bytes kept of an answer's body. */
const ANSWER_KEPT = 4096

/**
 * Reads an answer's head and the beginning of its body; a longer one is not read to its end. Always resolves: a body that
 * breaks off or never ends takes nothing from the status that was there before.
 */
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
