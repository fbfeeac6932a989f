/** Requests to a service, over HTTP/1.1 or HTTP/2. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { connect as connectTls } from 'node:tls'

/** Node.js closes idle connections of servers after 5 s; one that is reused at that moment would fail. */
const IDLE = 4_000
export type Pairs = readonly (readonly [name: string, value: string])[]

export const pairsOf = (raw: readonly string[]): Pairs =>
  Array.from({ length: raw.length / 2 }, (_, n) => [raw[2 * n]!, raw[2 * n + 1]!] as const)

/** The response of an upstream, over either protocol. */
export interface Upstream {
  readonly status: number
  readonly message: string | undefined
  readonly version: string
  readonly headers: Pairs
  readonly body: NodeJS.ReadableStream & { readonly complete?: boolean }
}

interface Outgoing {
  readonly stream: NodeJS.WritableStream & { destroy(error?: Error): unknown }
  readonly response: Promise<Upstream>
}

/** Sends requests to one origin, over HTTP/2 if the server prefers it. */
export class Origin {
  readonly #url: URL
  readonly #ca: string | undefined
  readonly #agent: HttpAgent
  #protocol: Promise<'h2' | 'http/1.1'> | undefined
  #session: ClientHttp2Session | undefined

  constructor(url: string, ca?: string) {
    this.#url = new URL(url)
    this.#ca = ca
    const options = { keepAlive: true, maxSockets: Infinity, timeout: IDLE }
    this.#agent =
      this.#url.protocol === 'https:' ? new HttpsAgent({ ...options, ca }) : new HttpAgent(options)
  }

  async send(method: string, path: string, headers: Pairs): Promise<Outgoing> {
    const others = headers.filter(([name]) => name.toLowerCase() !== 'host')
    if ((await this.#negotiated()) === 'h2') return this.#sendHttp2(method, path, others)
    const raw = [['Host', this.#url.host] as const, ...others].flat()
    const send = this.#url.protocol === 'https:' ? requestHttps : requestHttp
    const stream = send({
      protocol: this.#url.protocol,
      hostname: this.#url.hostname.replace(/^\[|\]$/g, ''),
      port: this.#url.port,
      agent: this.#agent,
      method,
      path,
      headers: raw,
      ...(this.#ca !== undefined && { ca: this.#ca }),
    })
    // Without a delay: small requests must not wait for more.
    stream.setNoDelay(true)
    const response = new Promise<Upstream>((resolve, reject) => {
      stream.on('error', reject)
      stream.on('response', (message) =>
        resolve({
          status: message.statusCode!,
          message: message.statusMessage,
          version: `HTTP/${message.httpVersion}`,
          headers: pairsOf(message.rawHeaders),
          body: message,
        }),
      )
    })
    return { stream, response }
  }

  #negotiated(): Promise<'h2' | 'http/1.1'> {
    if (this.#url.protocol !== 'https:') return Promise.resolve('http/1.1')
    this.#protocol ??= new Promise<'h2' | 'http/1.1'>((resolve, reject) => {
      const { hostname, port } = this.#url
      const socket = connectTls({
        host: hostname,
        port: Number(port || 443),
        servername: hostname,
        ALPNProtocols: ['h2', 'http/1.1'],
        ...(this.#ca !== undefined && { ca: this.#ca }),
      })
      socket.on('secureConnect', () => {
        resolve(socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1')
        socket.end()
      })
      socket.on('error', reject)
    }).catch((error: unknown) => {
      // The next request tries again.
      this.#protocol = undefined
      throw error
    })
    return this.#protocol
  }

  #sendHttp2(method: string, path: string, headers: Pairs): Outgoing {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      const session = connectHttp2(this.#url.origin, { ...(this.#ca !== undefined && { ca: this.#ca }) })
      session.on('error', () => session.destroy())
      session.on('goaway', () => session.close())
      this.#session = session
    }
    const fields: Record<string, string | string[]> = {}
    for (const [name, value] of headers) {
      const before = fields[name.toLowerCase()]
      fields[name.toLowerCase()] = before === undefined ? value : [before, value].flat()
    }
    const stream = this.#session.request(
      { ':method': method, ':path': path, ':authority': this.#url.host, ...fields },
      { endStream: false },
    )
    const response = new Promise<Upstream>((resolve, reject) => {
      stream.on('error', reject)
      stream.on('close', () => reject(new Error('the service closed the stream')))
      stream.on('response', (received) => {
        const pairs = Object.entries(received)
          .filter(([name]) => !name.startsWith(':'))
          .flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, String(each)] as const))
        resolve({
          status: Number(received[':status']),
          message: undefined,
          version: 'HTTP/2.0',
          headers: pairs,
          body: stream,
        })
      })
    })
    return { stream, response }
  }

  close(): void {
    this.#agent.destroy()
    this.#session?.destroy()
  }
}
