/** How a callback leaves the sandbox, whatever carries it. */
import type { Answer } from './answer.ts'

export interface OutgoingCallback {
  /** Whose callback it is. */
  readonly world: string
  readonly url: string
  /** POST when left out; with GET and HEAD no body goes. */
  readonly method?: string | undefined
  readonly body: string
  readonly headers: { readonly [name: string]: string }
  /** Milliseconds until the status of an answer must be there. */
  readonly timeout?: number
  /** How many bytes are written before the connection is cut; null: all of them. */
  readonly cutAt?: number | null
  /** The bytes of the body trickle. */
  readonly slow?: boolean
  /** The connection is cut as soon as all is sent: the answer is lost. */
  readonly loseAnswer?: boolean
}

/** How it ended: the receiver's answer, or a null status and why there was none, in plain words. */
export interface SendResult extends Partial<Omit<Answer, 'status'>> {
  readonly status: number | null
  readonly error: string
  /** The system's or the sandbox's own name for the error, such as ECONNREFUSED. */
  readonly code?: string | undefined
  /** What to change, where the error tells. */
  readonly advice?: string
}

/** POSTs a callback; resolves whatever happens, with undefined when the sandbox itself was closed meanwhile. */
export type Send = (outgoing: OutgoingCallback) => Promise<SendResult | undefined>
