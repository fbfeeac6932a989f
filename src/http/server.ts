import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { serve } from '@hono/node-server'
import { later } from '../clock.ts'

export interface Listening {
  readonly address: AddressInfo
  /** Takes no new requests and gives running ones `grace` milliseconds to finish. */
  stop(grace: number): Promise<void>
}

type Fetch = (request: Request) => Response | Promise<Response>

/** Opens the port; 0 picks a free one. @throws the system's error when the port cannot be had */
export function listen(fetch: Fetch, port: number, hostname: string): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname }, (address) =>
      resolve({ address, stop: (grace) => stop(server, grace) }),
    ) as Server
    server.on('error', reject)
    server.on('clientError', refuseUnread)
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

/** What Node could not read as a request, by the code of its error; anything else is no HTTP. */
const unread: { readonly [code: string]: readonly [status: string, error_code: string, message: string] } = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'invalid_argument',
    'the URL and the headers are over the limit of 16 KiB together',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'deadline_exceeded', 'the request did not end in time'],
}

/** Answers in the service's error body even where no request came about, and ends the connection. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, error_code, error_message] = unread[error.code ?? ''] ?? [
    '400 Bad Request',
    'invalid_argument',
    'what was sent is not a valid HTTP/1.1 request',
  ]
  const body = JSON.stringify({ error_code, error_message, status_code: parseInt(status, 10) })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
