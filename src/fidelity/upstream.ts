/** Requests to a service, over HTTP/1.1 or HTTP/2. */
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { connect as connectTls } from 'node:tls'
import type { Pairs } from './har.ts'

/** Node.js closes idle connections of servers after 5 s; one that is reused at that moment would fail. */
const IDLE = 4_000

export const pairsOf = (raw: readonly string[]): Pairs =>
  Array.from({ length: raw.length / 2 }, (_, n) => ({ name: raw[2 * n]!, value: raw[2 * n + 1]! }))

/** The response of an upstream, over either protocol. */
export interface Upstream {
  readonly status: number
  readonly message?: string | undefined
  readonly version: string
  readonly headers: Pairs
  readonly body: IncomingMessage | ClientHttp2Stream
}

interface Outgoing {
  readonly stream: ClientRequest | ClientHttp2Stream
  readonly response: Promise<Upstream>
}

/** Sends requests to one origin, over HTTP/2 if the server prefers it. */
export function createOrigin(url: string, ca?: string) {
  const address = new URL(url)
  const isTls = address.protocol === 'https:'
  const trust = ca === undefined ? {} : { ca }
  const options = { keepAlive: true, maxSockets: Infinity, timeout: IDLE }
  const agent = isTls ? new HttpsAgent({ ...options, ...trust }) : new HttpAgent(options)
  let isHttp2: Promise<boolean> | undefined
  let session: ClientHttp2Session | undefined

  async function send(method: string, path: string, headers: Pairs): Promise<Outgoing> {
    const others = headers.filter(({ name }) => name.toLowerCase() !== 'host')
    if (isTls && (await negotiated())) return sendHttp2(method, path, others)
    const { host, hostname, port, protocol } = address
    const stream = (isTls ? requestHttps : requestHttp)({
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent,
      method,
      path,
      headers: ['Host', host, ...others.flatMap(({ name, value }) => [name, value])],
      ...trust,
    })
    // Without a delay: small requests must not wait for more.
    stream.setNoDelay(true)
    const response = new Promise<Upstream>((resolve, reject) => {
      stream.on('error', reject)
      stream.on('response', (body) =>
        resolve({
          status: body.statusCode!,
          message: body.statusMessage,
          version: `HTTP/${body.httpVersion}`,
          headers: pairsOf(body.rawHeaders),
          body,
        }),
      )
    })
    return { stream, response }
  }

  function negotiated(): Promise<boolean> {
    const { hostname, port } = address
    return (isHttp2 ??= new Promise<boolean>((resolve, reject) => {
      const socket = connectTls({
        host: hostname,
        port: Number(port || 443),
        servername: hostname,
        ALPNProtocols: ['h2', 'http/1.1'],
        ...trust,
      })
      socket.on('secureConnect', () => {
        resolve(socket.alpnProtocol === 'h2')
        socket.end()
      })
      socket.on('error', reject)
    }).catch((error: unknown) => {
      // The next request tries again.
      isHttp2 = undefined
      throw error
    }))
  }

  function sendHttp2(method: string, path: string, headers: Pairs): Outgoing {
    if (!session || session.closed || session.destroyed) {
      const opened = connectHttp2(address.origin, trust)
      opened.on('error', () => opened.destroy())
      opened.on('goaway', () => opened.close())
      session = opened
    }
    const fields: Record<string, string[]> = {}
    for (const { name, value } of headers) (fields[name.toLowerCase()] ??= []).push(value)
    const stream = session.request(
      { ':method': method, ':path': path, ':authority': address.host, ...fields },
      { endStream: false },
    )
    const response = new Promise<Upstream>((resolve, reject) => {
      stream.on('error', reject)
      stream.on('close', () => reject(new Error('the service closed the stream')))
      stream.on('response', (received) => {
        const { ':status': status, ...others } = received
        const pairs = Object.entries(others).flatMap(([name, value]) =>
          [value ?? []].flat().map((each) => ({ name, value: String(each) })),
        )
        resolve({ status: Number(status), version: 'HTTP/2.0', headers: pairs, body: stream })
      })
    })
    return { stream, response }
  }

  function close(): void {
    agent.destroy()
    session?.destroy()
  }
  return { send, close }
}
