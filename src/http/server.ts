import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { later } from '../lib/clock/clock.ts'
import type { HostGuard } from './host-guard.ts'
import { refuseAddress, refuseBytes, refuseHost } from './protocol-errors.ts'

export interface Listening {
  readonly address: AddressInfo
  /** From now on each connection ends with the answer that is next on it, so that its client opens another elsewhere. */
  leave(): void
  /** Takes no new requests and gives running ones `grace` milliseconds to finish. */
  stop(grace: number): Promise<void>
}

/** What is done about more clients than there may be. */
export interface InwardLimit {
  /** Connections at once; Infinity: as many as come. */
  readonly most: number
  readonly onRefused: () => void
  /** The listening socket failed; the sandbox goes on. */
  readonly onError: (error: Error) => void
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
  { most, onRefused, onError }: InwardLimit,
  guard?: HostGuard,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const listener = getRequestListener(fetch, { hostname, errorHandler: refuseAddress })
    let leaving = false
    const server = createServer(TIMES, (incoming, outgoing) => {
      if (leaving) outgoing.shouldKeepAlive = false
      const why = guard?.(incoming.headers.host)
      if (why !== undefined) return refuseHost(outgoing, why)
      return void listener(incoming, outgoing)
    })
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
