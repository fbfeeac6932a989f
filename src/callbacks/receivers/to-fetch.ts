import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Receiver } from './receiver.ts'
import { socketPair } from './socket-pair.ts'

/**
 * The handlers of a route by method, as a `route.ts` of Next.js exports them.
 * @example
 * ```ts
 * import { type RouteHandlers, toFetch } from 'payments-sandbox/receivers'
 *
 * const route: RouteHandlers = { POST: async (request: Request) => Response.json(await request.json()) }
 * const answer = await toFetch(route)(new Request('https://shop.test/callbacks', { method: 'POST', body: '{"status":"success"}' }))
 * await answer.json() // => { status: 'success' }
 * ```
 */
export type RouteHandlers = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- frameworks have requests of their own
  readonly [Method in 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE']?: (request: any, context?: any) => unknown
}

/* No types of Node.js: programs without them use these declarations, too. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- frameworks have requests and responses of their own
type Listener = (request: any, response: any, ...more: any[]) => unknown
interface ListeningNowhere {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in the emitters of Node.js
  emit(event: string, ...told: any[]): boolean
}

/**
 * A Node.js app: a function of `(req, res)`, a server, an object with a server once it is ready, or route handlers.
 * @example
 * ```ts
 * import { type App, toFetch } from 'payments-sandbox/receivers'
 *
 * const app: App = (_request, response) => response.writeHead(204).end()
 * const answer = await toFetch(app)(new Request('https://shop.test/callbacks', { method: 'POST' }))
 * answer.status // => 204
 * ```
 */
export type App =
  | Listener
  | ListeningNowhere
  | { ready(): PromiseLike<unknown>; readonly server: ListeningNowhere }
  | RouteHandlers

/**
 * Returns a receiver for an app of Express, Koa (`app.callback()`), Fastify or `node:http`, or for the handlers of a Next.js route.
 * Requests pass through Node's HTTP parser without opening a port.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { toFetch } from 'payments-sandbox/receivers'
 *
 * const app = createServer((request, response) => response.end(`${request.method} ${request.url}`))
 * const answer = await toFetch(app)(new Request('https://shop.test/callbacks', { method: 'POST' }))
 * await answer.text() // => 'POST /callbacks'
 * ```
 */
export function toFetch(app: App): Receiver {
  if (typeof app === 'function') return over(http.createServer(careful(app)))
  if ('ready' in app) return async (request) => (await app.ready(), over(app.server)(request))
  if ('emit' in app) return over(app)
  return byMethod(app)
}

/** Makes an error of a listener break its connection instead of the process. */
const careful =
  (listener: Listener) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await listener(request, response)
    } catch (error) {
      request.socket.destroy(error as Error)
    }
  }

/** Sends each request over a new connection within the process. */
const over =
  (server: ListeningNowhere): Receiver =>
  (request) =>
    new Promise((resolve, reject) => {
      const url = new URL(request.url)
      const ends = socketPair(url.protocol === 'https:')
      server.emit('connection', ends.server)
      const sent = http.request({
        method: request.method,
        path: url.pathname + url.search,
        headers: { connection: 'close', host: url.host, ...Object.fromEntries(request.headers) },
        createConnection: () => ends.client,
        signal: request.signal,
      })
      sent.on('error', reject)
      sent.on('response', (answer) => {
        // The connection is not reused, even if the server keeps it alive.
        answer.on('close', () => ends.client.destroy())
        resolve(responseOf(answer))
      })
      if (request.body) pipeline(Readable.fromWeb(request.body as ReadableStream), sent).catch(reject)
      else sent.end()
    })

const WITHOUT_BODY = [204, 205, 304]

function responseOf(answer: IncomingMessage): Response {
  const { statusCode = 500, rawHeaders } = answer
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  for (const name of ['connection', 'keep-alive', 'transfer-encoding']) headers.delete(name)
  if (WITHOUT_BODY.includes(statusCode)) {
    answer.resume()
    return new Response(null, { status: statusCode, headers })
  }
  return new Response(Readable.toWeb(answer) as globalThis.ReadableStream, { status: statusCode, headers })
}

const byMethod =
  (handlers: RouteHandlers): Receiver =>
  async (request) => {
    const handler = handlers[request.method as keyof RouteHandlers]
    if (handler) return (await handler(request, { params: Promise.resolve({}) })) as Response
    return new Response(null, { status: 405, headers: { allow: Object.keys(handlers).join(', ') } })
  }
