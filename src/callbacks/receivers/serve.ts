import http from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { bodyOf } from './incoming-body.ts'
import type { Receiver } from './receiver.ts'

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
    throw new TypeError('it answered no Response; toFetch makes a receiver of a function of (req, res)')
  if (answered.type === 'error') throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  outgoing.writeHead(answered.status, [...answered.headers].flat())
  if (answered.body) await pipeline(Readable.fromWeb(answered.body as ReadableStream), outgoing)
  else outgoing.end()
  if (!request.bodyUsed) body?.leave()
}

/** Whatever realm it is of: test runners have several. */
const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && 'status' in value && 'headers' in value && 'body' in value

function headersOf({ rawHeaders }: http.IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  return headers
}

const OF_CONNECTIONS = ['ECONNREFUSED', 'ECONNRESET']

/** What is told of what a receiver threw: of a connection that broke behind it no more than that. */
function thrown(error: unknown): Error {
  if (OF_CONNECTIONS.includes((error as { code?: string } | undefined)?.code ?? '')) return error as Error
  return Object.assign(new Error(String(error), { cause: error }), { code: 'RECEIVER_THREW' })
}
