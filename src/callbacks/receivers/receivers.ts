import http from 'node:http'
import { finished, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { urlOf } from '../../lib/text/is-url.ts'
import type { Receiver } from './receiver.ts'
import { socketPair } from './socket-pair.ts'

export type Receivers = ReturnType<typeof createReceivers>

/** @param given - Validated receivers by origin. */
export function createReceivers(given: Readonly<Record<string, Receiver>>) {
  const agents = new Map(
    Object.entries(given).map(([address, receiver]) => {
      const { origin, protocol } = new URL(address)
      const server = serverOf(origin, receiver)
      const createConnection = () => {
        const ends = socketPair(protocol === 'https:')
        server.emit('connection', ends.server)
        return ends.client
      }
      const agentOf = (keepAlive: boolean) =>
        Object.assign(new http.Agent({ keepAlive }), { protocol, createConnection })
      return [origin, { kept: agentOf(true), once: agentOf(false) }]
    }),
  )
  const agentsOf = (url: string) => (agents.size === 0 ? undefined : agents.get(urlOf(url)?.origin ?? ''))
  return {
    has: (url: string) => agentsOf(url) !== undefined,
    /** Returns an agent that connects to the receiver of an address, if there is one. @param kept - Whether to reuse connections. */
    agent: (url: string, kept: boolean): http.Agent | undefined => agentsOf(url)?.[kept ? 'kept' : 'once'],
    close() {
      for (const { kept, once } of agents.values()) for (const agent of [kept, once]) agent.destroy()
    },
  }
}

/** A server without a port that calls a receiver. */
export const serverOf = (origin: string, receiver: Receiver): http.Server =>
  http.createServer((incoming, outgoing) => {
    answer(origin, receiver, incoming, outgoing).catch((error: unknown) =>
      incoming.socket.destroy(thrown(error)),
    )
  })

async function answer(
  origin: string,
  receiver: Receiver,
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => outgoing.writableFinished || gone.abort())
  const { method = 'POST' } = incoming
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(incoming)
  const request = new Request(new URL(incoming.url!, origin), {
    method,
    headers: headersOf(incoming),
    signal: gone.signal,
    ...(body && { body: body.bytes, duplex: 'half' }),
  })
  const answered: unknown = await receiver(request)
  if (!isResponse(answered))
    throw new TypeError('it returned no Response; use toFetch for a function of (req, res)')
  if (answered.type === 'error') throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  outgoing.writeHead(answered.status, [...answered.headers].flat())
  if (answered.body) await pipeline(Readable.fromWeb(answered.body as NodeReadableStream), outgoing)
  else outgoing.end()
  if (!request.bodyUsed) body?.leave()
}

/** Not `instanceof`: test runners have several realms. */
const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && 'status' in value && 'headers' in value && 'body' in value

function headersOf({ rawHeaders }: http.IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  return headers
}

const CONNECTION_ERRORS = ['ECONNREFUSED', 'ECONNRESET']

/** Wraps what a receiver threw, except for connection errors of its own upstream. */
function thrown(error: unknown): Error {
  if (CONNECTION_ERRORS.includes((error as { code?: string } | undefined)?.code ?? '')) return error as Error
  return Object.assign(new Error(String(error), { cause: error }), { code: 'RECEIVER_THREW' })
}

/**
 * Reads the body of a request. Unlike `Readable.toWeb`, it does not break the connection when the receiver stops reading, since it
 * may still respond, for example with 413.
 */
function bodyOf(incoming: http.IncomingMessage) {
  let isOver = false
  const leave = () => {
    isOver = true
    incoming.resume()
  }
  const most = { highWaterMark: incoming.readableHighWaterMark }
  const bytes = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on('data', (chunk: Buffer) => {
          if (isOver) return
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
        })
        incoming.pause()
        finished(incoming, { writable: false }, (error) => {
          if (isOver) return
          isOver = true
          if (error) controller.error(error)
          else controller.close()
        })
      },
      pull: () => void incoming.resume(),
      cancel: leave,
    },
    new ByteLengthQueuingStrategy(most),
  )
  return {
    bytes,
    /** Drains an unread body, because the next request follows it on the connection. */
    leave,
  }
}
