/** Answers that are wrong on purpose. Without a port there is no connection to break: the fetch is rejected instead. */
import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { AnswerFault } from '../../service/vocabulary/terms.ts'

type Pause = (ms: number) => Promise<void>

/** Of these nothing is done in the world; the others come after the work. */
export const cutsBefore = (fault: AnswerFault): boolean =>
  fault === 'connection-reset' || fault === 'empty-response' || fault === 'garbage'

/** Whether the client gets no answer that it can read. */
export const cutsAnswer = (fault: string): boolean => fault !== 'slow-body'

/** No HTTP client takes this for an answer. */
const GARBAGE = Buffer.from('\u0000\u0001garbage: this is no HTTP\r\n\r\n')

/** Breaks the connection in the way that the fault says. @returns what the server takes for an answer */
export function cut(c: Context, fault: AnswerFault): Response {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  const socket = (outgoing as ServerResponse | undefined)?.socket
  if (!socket) cuts.set(c.req.raw, cutError(fault))
  else if (fault === 'garbage') socket.end(GARBAGE)
  else if (fault === 'empty-response') socket.end()
  else socket.resetAndDestroy()
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}

const cuts = new WeakMap<Request, Error>()

/** What the fetch of a request without a port is to be rejected with; undefined when it has an answer. */
export const cutOf = (request: Request): Error | undefined => cuts.get(request)

const cutError = (fault: AnswerFault) =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error(`fault: ${fault}`), { code: 'ECONNRESET' }),
  })

const PIECES = 20

/** The bytes of a text, coming in pieces over `time` milliseconds. */
export function spread(text: string, time: number, pause: Pause): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const size = Math.max(1, Math.ceil(bytes.length / PIECES))
  let sent = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent >= bytes.length) return controller.close()
      await pause(Math.ceil(time / Math.ceil(bytes.length / size)))
      controller.enqueue(bytes.subarray(sent, sent + size))
      sent += size
    },
  })
}
