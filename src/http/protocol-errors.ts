/** Refusals of bytes that never become a request, with the error body of all others (specification 7). */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError } from '@hono/node-server'
import type { ErrorCode } from '../service/domain/errors.ts'

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
