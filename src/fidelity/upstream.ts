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
export class Origin {
  readonly #url: URL
  readonly #trust: { readonly ca?: string }
  readonly #agent: HttpAgent
  #isHttp2: Promise<boolean> | undefined
  #session: ClientHttp2Session | undefined

  constructor(url: string, ca?: string) {
    this.#url = new URL(url)
    this.#trust = ca === undefined ? {} : { ca }
    const options = { keepAlive: true, maxSockets: Infinity, timeout: IDLE }
    this.#agent = this.#isTls ? new HttpsAgent({ ...options, ...this.#trust }) : new HttpAgent(options)
  }

  get #isTls(): boolean {
    return this.#url.protocol === 'https:'
  }

  async send(method: string, path: string, headers: Pairs): Promise<Outgoing> {
    const others = headers.filter(({ name }) => name.toLowerCase() !== 'host')
    if (this.#isTls && (await this.#negotiated())) return this.#sendHttp2(method, path, others)
    const { host, hostname, port, protocol } = this.#url
    const stream = (this.#isTls ? requestHttps : requestHttp)({
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent: this.#agent,
      method,
      path,
      headers: ['Host', host, ...others.flatMap(({ name, value }) => [name, value])],
      ...this.#trust,
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

  #negotiated(): Promise<boolean> {
    const { hostname, port } = this.#url
    return (this.#isHttp2 ??= new Promise<boolean>((resolve, reject) => {
      const socket = connectTls({
        host: hostname,
        port: Number(port || 443),
        servername: hostname,
        ALPNProtocols: ['h2', 'http/1.1'],
        ...this.#trust,
      })
      socket.on('secureConnect', () => {
        resolve(socket.alpnProtocol === 'h2')
        socket.end()
      })
      socket.on('error', reject)
    }).catch((error: unknown) => {
      // The next request tries again.
      this.#isHttp2 = undefined
      throw error
    }))
  }

  #sendHttp2(method: string, path: string, headers: Pairs): Outgoing {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      const session = connectHttp2(this.#url.origin, this.#trust)
      session.on('error', () => session.destroy())
      session.on('goaway', () => session.close())
      this.#session = session
    }
    const fields: Record<string, string[]> = {}
    for (const { name, value } of headers) (fields[name.toLowerCase()] ??= []).push(value)
    const stream = this.#session.request(
      { ':method': method, ':path': path, ':authority': this.#url.host, ...fields },
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

  close(): void {
    this.#agent.destroy()
    this.#session?.destroy()
  }
}
