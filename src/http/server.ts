import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { later } from '../lib/clock/clock.ts'
import type { HostGuard } from './cross-origin.ts'
import type { Forward } from './forward.ts'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../service/domain/errors.ts'

export interface Listening {
  readonly address: AddressInfo
  /** Closes each connection after its next response, so that clients reconnect elsewhere. */
  leave(): void
  /** Stops accepting requests and waits up to `grace` milliseconds for running ones. */
  stop(grace: number): Promise<void>
}

export interface InwardLimit {
  /** Concurrent connections; Infinity for no limit. */
  readonly most: number
  readonly onRefused: () => void
  /** Called if the listening socket fails; the sandbox continues. */
  readonly onError: (error: Error) => void
  readonly unread: UnreadLimits
}

/** Milliseconds. */
const TIMES = {
  // Client pools keep connections for up to 60 s: if both sides closed at once, the client would see an error.
  keepAliveTimeout: 65_000,
  headersTimeout: 66_000,
  // Limits how long a slow client may take to send a request.
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
}

/** Limits of responses that clients do not read. */
interface UnreadLimits {
  /** Milliseconds without progress after which a connection with unread bytes is closed. */
  readonly stalledFor: number
  /** Bytes per address. */
  readonly perAddress: number
  /** Bytes of all addresses. */
  readonly total: number
  readonly addressOf: (incoming: IncomingMessage) => string | undefined
  readonly onClosed: () => void
}

/** Pipelined requests per connection; with one more the connection is closed. */
const MOST_PIPELINED = 100

type Fetch = (request: Request) => Response | Promise<Response>

/**
 * Opens the port; 0 picks a free one.
 * @param guard - checks the Host header of every request first
 * @throws {Error} if the port is not available
 */
export function listen(
  fetch: Fetch,
  port: number,
  hostname: string,
  { most, onRefused, onError, unread }: InwardLimit,
  guard?: HostGuard,
  forward?: Forward,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const listener = getRequestListener(fetch, { hostname, errorHandler: refuseAddress })
    let leaving = false
    const connections = createConnections(unread)
    const readShort = createShortBodies()
    const server = createServer({ ...TIMES, ServerResponse: connections.Response }, (incoming, outgoing) =>
      connections.serve(outgoing, () => {
        if (leaving) outgoing.shouldKeepAlive = false
        if (hostCount(incoming) > 1) return refuse(outgoing, 400, 'invalid_argument', MORE_HOSTS)
        const why = guard?.(incoming.headers.host)
        if (why !== undefined) return refuse(outgoing, 403, 'permission_denied', why)
        const serve = () => void listener(incoming, outgoing)
        readShort(incoming, () => (forward ? forward(incoming, outgoing, serve) : serve()))
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
    // Without a maximum, connections beyond the descriptor limit are dropped silently by the system.
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

/** Some proxies route by the first Host header, some by the last, so several are rejected (RFC 9112, 3.2). */
function hostCount({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let n = 0; n < rawHeaders.length; n += 2)
    if (rawHeaders[n]!.length === 4 && rawHeaders[n]!.toLowerCase() === 'host') count++
  return count
}

/** Bytes up to which a body is read before its request is served. */
const SHORT = 65_536
/** Bytes of such bodies at once; above, requests are served while their bodies arrive. */
const SHORT_AT_ONCE = 16 * 1_048_576

/**
 * Reads short bodies before their requests are served, so that nothing has to wait for them later. The application finds
 * them as `rawBody`, as on platforms that read bodies themselves.
 */
function createShortBodies() {
  let bytes = 0
  /** Calls `serve` when the body is complete, or when the client broke off. */
  return (incoming: IncomingMessage & { rawBody?: Buffer }, serve: () => void): void => {
    const { method, headers } = incoming
    const length = Number(headers['content-length'] ?? 0)
    const isShort = length > 0 && length <= SHORT && bytes + length <= SHORT_AT_ONCE
    if (!isShort || method === 'GET' || method === 'HEAD') return serve()
    bytes += length
    const pieces: Buffer[] = []
    let left = length
    let isServed = false
    const end = () => {
      if (isServed) return
      isServed = true
      bytes -= length
      if (left === 0) incoming.rawBody = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      serve()
    }
    incoming.on('data', (piece: Buffer) => {
      pieces.push(piece)
      left -= piece.length
    })
    incoming.on('end', end)
    incoming.on('error', end)
  }
}

/** The running request of a connection and those pipelined behind it. */
interface Pipeline {
  current: ServerResponse | undefined
  readonly waiting: { readonly outgoing: ServerResponse; readonly run: () => void }[]
}

/**
 * Serves pipelined requests one after the other, and closes connections whose clients do not read. If unread bytes
 * exceed a limit, the oldest response is dropped.
 */
function createConnections(limits: UnreadLimits) {
  const { addressOf, onClosed, perAddress, stalledFor, total } = limits
  const pipelines = new WeakMap<Socket, Pipeline>()
  /** Unread bytes by response, oldest first. */
  const unreadBytes = new Map<ServerResponse, { bytes: number; readonly address: string }>()
  const sums = new Map<string, number>()
  let all = 0
  const Response = class extends ServerResponse {
    override write(chunk: unknown, encoding?: unknown, done?: unknown): boolean {
      const taken = super.write(chunk, encoding as BufferEncoding, done as () => void)
      if (!taken) noteUnread(this)
      return taken
    }
    override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
      super.end(chunk, encoding as BufferEncoding, done as () => void)
      if (this.writableLength > 0) noteUnread(this)
      return this
    }
  } as typeof ServerResponse

  function begin(pipeline: Pipeline, outgoing: ServerResponse, run: () => void): void {
    pipeline.current = outgoing
    outgoing.on('close', () => {
      forget(outgoing)
      pipeline.current = undefined
      const next = pipeline.waiting.shift()
      if (!next || outgoing.req.socket.destroyed) return
      pipeline.current = next.outgoing
      // Lets requests of other connections run in between.
      setImmediate(() => begin(pipeline, next.outgoing, next.run))
    })
    run()
  }

  function noteUnread(response: ServerResponse): void {
    const address = unreadBytes.get(response)?.address ?? addressOf(response.req) ?? ''
    const bytes = response.writableLength
    count(response, address, bytes)
    if ((sums.get(address) ?? 0) > perAddress) closeOldest(address)
    if (all > total) closeOldest()
  }

  function count(response: ServerResponse, address: string, bytes: number): void {
    const known = unreadBytes.get(response)
    const more = bytes - (known?.bytes ?? 0)
    if (known) known.bytes = bytes
    else unreadBytes.set(response, { bytes, address })
    all += more
    const sum = (sums.get(address) ?? 0) + more
    if (sum > 0) sums.set(address, sum)
    else sums.delete(address)
  }

  function forget(response: ServerResponse): void {
    const known = unreadBytes.get(response)
    if (!known) return
    count(response, known.address, 0)
    unreadBytes.delete(response)
  }

  function closeOldest(of?: string): void {
    for (const [response, { address }] of unreadBytes) {
      if (of !== undefined && address !== of) continue
      forget(response)
      return close(response.req.socket)
    }
  }

  function close(socket: Socket): void {
    socket.destroy()
    onClosed()
  }

  return {
    Response,
    serve(outgoing: ServerResponse, run: () => void): void {
      const { socket } = outgoing.req
      let pipeline = pipelines.get(socket)
      if (!pipeline) {
        pipeline = { current: undefined, waiting: [] }
        pipelines.set(socket, pipeline)
      }
      if (pipeline.current === undefined) begin(pipeline, outgoing, run)
      else if (pipeline.waiting.length < MOST_PIPELINED) pipeline.waiting.push({ outgoing, run })
      else close(socket)
    },
    watch(server: Server): void {
      // Node.js reports a timeout if no byte has moved for this long.
      server.timeout = stalledFor
      server.on('timeout', (socket: Socket) => {
        const current = pipelines.get(socket)?.current
        if ((current ?? socket).writableLength > 0) close(socket)
        // Idle connections have their own timeout, and handlers may run for any time.
        else if (!current && socket.timeout !== stalledFor) socket.destroy()
      })
    },
  }
}

const body = (status_code: number, error_code: ErrorCode, error_message: string) =>
  JSON.stringify({ error_code, error_message, status_code })

/** By Node's error code. */
const unread: { readonly [code: string]: readonly [status: number, error_code: ErrorCode, message: string] } =
  {
    HPE_HEADER_OVERFLOW: [
      431,
      'invalid_argument',
      'the URL and the headers are over the limit of 16 KiB together',
    ],
    ERR_HTTP_REQUEST_TIMEOUT: [408, 'deadline_exceeded', 'the request did not end in time'],
  }
const noHttp = [400, 'invalid_argument', 'the request is not valid HTTP/1.1'] as const

/** Responds to bytes that Node.js could not parse as a request, and closes the connection. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
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

const MORE_HOSTS = 'the request has more than one Host header; send one'

function refuse(outgoing: ServerResponse, status: number, code: ErrorCode, why: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  outgoing.end(body(status, code, why))
}

/** Responds to a request whose URL or Host header is invalid. */
function refuseAddress(error: unknown): Response {
  const [status, text] =
    error instanceof RequestError
      ? [400, body(400, 'invalid_argument', `the address of the request is not valid: ${error.message}`)]
      : [500, body(500, 'internal', 'the sandbox failed to handle this request')]
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}
