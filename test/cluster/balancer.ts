import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Target {
  readonly url: string
  readonly agent: Agent
  ready: boolean
}

/** Interval of the readiness checks, milliseconds. */
const LOOKED_EVERY = 200

/**
 * A typical load balancer: it keeps connections alive, rotates between ready targets, and tries the next one only if a connection is
 * refused. A request that fails later is never repeated, because its outcome is unknown.
 */
export class Balancer {
  #targets: readonly Target[] = []
  readonly #server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing))
  readonly #timer = setInterval(() => void this.#look(), LOOKED_EVERY)
  #turn = 0

  /** Requests that failed on the way, one line each. */
  readonly broken: string[] = []

  static async start(): Promise<Balancer> {
    const balancer = new Balancer()
    await new Promise<void>((resolve) => void balancer.#server.listen(0, '127.0.0.1', resolve))
    return balancer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Sets the targets, each used once it is ready. */
  async lead(urls: readonly string[]): Promise<void> {
    const known = new Map(this.#targets.map((target) => [target.url, target]))
    this.#targets = urls.map(
      (url) => known.get(url) ?? { url, agent: new Agent({ keepAlive: true }), ready: false },
    )
    await this.#look()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#server.close()
    this.#server.closeAllConnections()
    for (const { agent } of this.#targets) agent.destroy()
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.#targets.map(async (target) => {
        const answer = await fetch(`${target.url}/readyz`).catch(() => undefined)
        target.ready = answer?.status === 200
      }),
    )
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const left = this.#targets.filter(({ ready }) => ready)
    for (let first = this.#turn++; left.length > 0;) {
      const [target] = left.splice(first % left.length, 1)
      const failure = await send(target!, incoming, Buffer.concat(parts), outgoing)
      if (failure === undefined) return
      if (failure.code !== 'ECONNREFUSED') {
        this.broken.push(`${target!.url}: ${failure.message}`)
        break
      }
    }
    const error_message = this.broken.at(-1) ?? `none of ${this.#targets.length} targets is ready`
    outgoing.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ error_message }))
  }
}

/** Forwards a request and its response. Returns the error if the request failed without a response. */
function send(
  { url, agent }: Target,
  { method, url: path, headers }: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const passed = request(`${url}${path}`, { method, headers, agent }, (answer) => {
      const { connection: _, ...own } = answer.headers
      outgoing.writeHead(answer.statusCode!, own)
      answer.pipe(outgoing)
      answer.on('end', () => resolve(undefined))
      answer.on('error', resolve)
    })
    passed.on('error', resolve)
    passed.end(body)
  })
}
