/** Answers that are wrong on purpose. Without a port there is no connection to break: the fetch is rejected instead. */
import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { AnswerFault } from '../terms.ts'

type Pause = (ms: number) => Promise<void>

/** Of these nothing is done in the world; the others come after the work. */
export const cutsBefore = (fault: AnswerFault | undefined): boolean =>
  fault === 'connection-reset' || fault === 'empty-response' || fault === 'garbage'

/** Whether the client gets no answer that it can read. */
export const cutsAnswer = (fault: string | undefined): boolean => fault !== undefined && fault !== 'slow-body'

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

/** Ends the connection of a request whatever is still to be sent; false when there is none. */
export function endConnection(c: Context): boolean {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  outgoing?.destroy()
  return outgoing !== undefined
}

const cuts = new WeakMap<Request, Error>()

/** What the fetch of a request without a port is to be rejected with; undefined when it has an answer. */
export const cutOf = (request: Request): Error | undefined => cuts.get(request)

const cutError = (fault: AnswerFault) =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error(`fault: ${fault}`), { code: 'ECONNRESET' }),
  })

const PIECES = 20

/** The same answer, its bytes coming in pieces over `time` milliseconds. */
export async function slowly(answer: Response, time: number, pause: Pause): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const size = Math.max(1, Math.ceil(bytes.length / PIECES))
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent >= bytes.length) return controller.close()
      await pause(Math.ceil(time / Math.ceil(bytes.length / size)))
      controller.enqueue(bytes.subarray(sent, sent + size))
      sent += size
    },
  })
  return new Response(body, { status: answer.status, headers: answer.headers })
}
