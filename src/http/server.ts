import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { later } from '../lib/clock/clock.ts'
import type { HostGuard } from './cross-origin.ts'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../service/domain/errors.ts'

export interface Listening {
  readonly address: AddressInfo
  /** From now on each connection ends with the answer that is next on it, so that its client opens another elsewhere. */
  leave(): void
  /** Takes no new requests and gives running ones `grace` milliseconds to finish. */
  stop(grace: number): Promise<void>
}

/** What clients may take of the process, and where it is noted when they are turned away. */
export interface InwardLimit {
  /** Connections at once; Infinity: no limit. */
  readonly most: number
  readonly onRefused: () => void
  /** The listening socket failed; the sandbox goes on. */
  readonly onError: (error: Error) => void
  /** What may wait for clients that do not read their responses. */
  readonly unread: UnreadLimits
}

/** Milliseconds. */
const TIMES = {
  // Pools of clients keep connections for up to 60 s: of two that close at once, the client would see an error.
  keepAliveTimeout: 65_000,
  headersTimeout: 66_000,
  // Until the last byte of a request is there: who sends slower holds a connection for nothing.
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
}

/** Limits of responses that clients do not read. */
interface UnreadLimits {
  /** Milliseconds without progress after which a connection with unread bytes is closed. */
  readonly stalledFor: number
  /** Bytes, of one address. */
  readonly perAddress: number
  /** Bytes, of all addresses. */
  readonly total: number
  readonly addressOf: (incoming: IncomingMessage) => string | undefined
  /** A connection was closed by one of these limits. */
  readonly onClosed: () => void
}

/** Requests that may wait on a connection for the response to an earlier one; with one more it is closed. */
const MOST_PIPELINED = 100

type Fetch = (request: Request) => Response | Promise<Response>

/**
 * Opens the port; 0 picks a free one.
 * @param guard asked of every request before anything else
 * @throws the system's error when the port cannot be had
 */
export function listen(
  fetch: Fetch,
  port: number,
  hostname: string,
  { most, onRefused, onError, unread }: InwardLimit,
  guard?: HostGuard,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const listener = getRequestListener(fetch, { hostname, errorHandler: refuseAddress })
    let leaving = false
    const connections = new Connections(unread)
    const server = createServer({ ...TIMES, ServerResponse: connections.Response }, (incoming, outgoing) =>
      connections.serve(outgoing, () => {
        if (leaving) outgoing.shouldKeepAlive = false
        if (hostCount(incoming) > 1) return refuseHosts(outgoing)
        const why = guard?.(incoming.headers.host)
        if (why !== undefined) return refuseHost(outgoing, why)
        return void listener(incoming, outgoing)
      }),
    )
    connections.watch(server)
    server.listen(port, hostname, () => {
      server.on('error', onError)
      const leave = () => void (leaving = true)
      resolve({
        address: server.address() as AddressInfo,
        leave,
        stop(grace) {
          leave()
          return stop(server, grace)
        },
      })
    })
    server.on('error', reject)
    // Whoever comes when there are no descriptors left is cut off by the system, and nobody is told of it.
    if (most < Infinity) server.maxConnections = most
    server.on('drop', () => {
      onRefused()
      server.closeIdleConnections()
    })
    server.on('clientError', refuseBytes)
  })
}

const stop = (server: Server, grace: number) =>
  new Promise<void>((resolve) => {
    const cancel = later(grace, () => server.closeAllConnections())
    server.close(() => {
      cancel()
      resolve()
    })
    server.closeIdleConnections()
  })

/** Some proxies route by the first Host header, some by the last: a request with two is refused (RFC 9112, 3.2). */
function hostCount({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let n = 0; n < rawHeaders.length; n += 2)
    if (rawHeaders[n]!.length === 4 && rawHeaders[n]!.toLowerCase() === 'host') count++
  return count
}

/** The request that is being served on a connection, and those that were sent without waiting for its response. */
interface Pipeline {
  current: ServerResponse | undefined
  readonly waiting: { readonly outgoing: ServerResponse; readonly run: () => void }[]
}

/**
 * Serves the requests of a connection one after the other, the next when the response to the one before has left, and closes
 * connections whose clients do not read. When unread bytes exceed a limit, the response that has waited longest is given up.
 */
class Connections {
  readonly #limits: UnreadLimits
  readonly #pipelines = new WeakMap<Socket, Pipeline>()
  /** Unread bytes by response, the oldest first. */
  readonly #unread = new Map<ServerResponse, { bytes: number; readonly address: string }>()
  readonly #perAddress = new Map<string, number>()
  #total = 0
  readonly Response: typeof ServerResponse

  constructor(limits: UnreadLimits) {
    this.#limits = limits
    const note = (response: ServerResponse) => this.#note(response)
    this.Response = class extends ServerResponse {
      override write(...content: unknown[]): boolean {
        const taken = super.write(...(content as Parameters<ServerResponse['write']>))
        if (!taken) note(this)
        return taken
      }
      override end(...content: unknown[]): this {
        super.end(...(content as []))
        if (this.writableLength > 0) note(this)
        return this
      }
    } as typeof ServerResponse
  }

  serve(outgoing: ServerResponse, run: () => void): void {
    const { socket } = outgoing.req
    let pipeline = this.#pipelines.get(socket)
    if (!pipeline) {
      pipeline = { current: undefined, waiting: [] }
      this.#pipelines.set(socket, pipeline)
    }
    if (pipeline.current === undefined) this.#begin(pipeline, outgoing, run)
    else if (pipeline.waiting.length < MOST_PIPELINED) pipeline.waiting.push({ outgoing, run })
    else this.#close(socket)
  }

  #begin(pipeline: Pipeline, outgoing: ServerResponse, run: () => void): void {
    pipeline.current = outgoing
    outgoing.once('close', () => {
      this.#forget(outgoing)
      pipeline.current = undefined
      const next = pipeline.waiting.shift()
      if (!next || outgoing.req.socket.destroyed) return
      pipeline.current = next.outgoing
      // Requests of other connections are served in between.
      setImmediate(() => this.#begin(pipeline, next.outgoing, next.run))
    })
    run()
  }

  watch(server: Server): void {
    const { stalledFor } = this.#limits
    // Node.js calls a connection timed out when no byte has moved for so long.
    server.timeout = stalledFor
    server.on('timeout', (socket: Socket) => {
      const current = this.#pipelines.get(socket)?.current
      if ((current ?? socket).writableLength > 0) this.#close(socket)
      // The time that an unused connection is kept is another one, and a handler may take as long as it likes.
      else if (!current && socket.timeout !== stalledFor) socket.destroy()
    })
  }

  #note(response: ServerResponse): void {
    const { perAddress, total } = this.#limits
    const address = this.#unread.get(response)?.address ?? this.#limits.addressOf(response.req) ?? ''
    const bytes = response.writableLength
    this.#count(response, address, bytes)
    if ((this.#perAddress.get(address) ?? 0) > perAddress) this.#closeOldest(address)
    if (this.#total > total) this.#closeOldest()
  }

  #count(response: ServerResponse, address: string, bytes: number): void {
    const known = this.#unread.get(response)
    const more = bytes - (known?.bytes ?? 0)
    if (known) known.bytes = bytes
    else this.#unread.set(response, { bytes, address })
    this.#total += more
    const sum = (this.#perAddress.get(address) ?? 0) + more
    if (sum > 0) this.#perAddress.set(address, sum)
    else this.#perAddress.delete(address)
  }

  #forget(response: ServerResponse): void {
    const known = this.#unread.get(response)
    if (!known) return
    this.#count(response, known.address, 0)
    this.#unread.delete(response)
  }

  #closeOldest(of?: string): void {
    for (const [response, { address }] of this.#unread) {
      if (of !== undefined && address !== of) continue
      this.#forget(response)
      return this.#close(response.req.socket)
    }
  }

  #close(socket: Socket): void {
    socket.destroy()
    this.#limits.onClosed()
  }
}

/** Refusals of bytes that never become a request, with the error body of all others (specification 7). */

const body = (status_code: number, error_code: ErrorCode, error_message: string) =>
  JSON.stringify({ error_code, error_message, status_code })

/** By the code of Node's error; anything else is no HTTP. */
const unread: { readonly [code: string]: readonly [status: number, error_code: ErrorCode, message: string] } =
  {
    HPE_HEADER_OVERFLOW: [
      431,
      'invalid_argument',
      'the URL and the headers are over the limit of 16 KiB together',
    ],
    ERR_HTTP_REQUEST_TIMEOUT: [408, 'deadline_exceeded', 'the request did not end in time'],
  }
const noHttp = [400, 'invalid_argument', 'what was sent is not a valid HTTP/1.1 request'] as const

/** Answers bytes that Node could not read as a request, and ends the connection. */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, code, message] = unread[error.code ?? ''] ?? noHttp
  const text = body(status, code, message)
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}

/** Answers a request that came by a name which is not ours. */
export function refuseHost(outgoing: ServerResponse, why: string): void {
  outgoing.writeHead(403, { 'content-type': 'application/json', connection: 'close' })
  outgoing.end(body(403, 'permission_denied', why))
}

/** Answers a request with several Host headers. */
export function refuseHosts(outgoing: ServerResponse): void {
  outgoing.writeHead(400, { 'content-type': 'application/json', connection: 'close' })
  outgoing.end(body(400, 'invalid_argument', 'the request has more than one Host header; send one'))
}

export const CLOSED = 'the sandbox is closed'

/** Answers a request that comes once the sandbox is closed. */
export const refuseClosed = () =>
  new Response(body(503, 'unavailable', CLOSED), {
    status: 503,
    headers: { 'content-type': 'application/json' },
  })

/** Answers a request whose URL or Host header makes no address. */
export function refuseAddress(error: unknown): Response {
  const [status, text] =
    error instanceof RequestError
      ? [400, body(400, 'invalid_argument', `the address of the request is not valid: ${error.message}`)]
      : [500, body(500, 'internal', 'the sandbox failed to handle this request')]
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}
