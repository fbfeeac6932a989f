import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { later } from '../clock.ts'
import type { HostGuard } from './host-guard.ts'
import { refuseAddress, refuseBytes, refuseHost } from './unread.ts'

export interface Listening {
  readonly address: AddressInfo
  /** Takes no new requests and gives running ones `grace` milliseconds to finish. */
  stop(grace: number): Promise<void>
}

type Fetch = (request: Request) => Response | Promise<Response>

/** Opens the port; 0 picks a free one. @param guard asked of every request before anything else @throws the system's error when the port cannot be had */
export function listen(
  fetch: Fetch,
  port: number,
  hostname: string,
  guard: HostGuard | undefined,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const listener = getRequestListener(fetch, { hostname, errorHandler: refuseAddress })
    const server = createServer((incoming, outgoing) => {
      const why = guard?.(incoming.headers.host)
      if (why !== undefined) return refuseHost(outgoing, why)
      return void listener(incoming, outgoing)
    })
    server.listen(port, hostname, () =>
      resolve({ address: server.address() as AddressInfo, stop: (grace) => stop(server, grace) }),
    )
    server.on('error', reject)
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
