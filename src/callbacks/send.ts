import http from 'node:http'
import https from 'node:https'
import { inPlainWords } from './plain-words.ts'

export interface Outgoing {
  readonly url: string
  readonly body: string
  readonly headers: { readonly [name: string]: string }
}

/** How it ended: the receiver's status, or null and why there was none, in plain words. */
export interface Outcome {
  readonly status: number | null
  readonly error: string
}

/** POSTs a callback; resolves whatever happens, with undefined when the sandbox itself was closed meanwhile. */
export type Send = (outgoing: Outgoing) => Promise<Outcome | undefined>

const TIME_LIMIT = 10_000
const SOCKETS_PER_TARGET = 64

/** Sends over HTTP and HTTPS with connections kept alive; never follows a redirect. */
export function createHttpSend(): { send: Send; close(): void } {
  const agents = {
    http: new http.Agent({ keepAlive: true, maxSockets: SOCKETS_PER_TARGET }),
    https: new https.Agent({ keepAlive: true, maxSockets: SOCKETS_PER_TARGET }),
  }
  const running = new Set<http.ClientRequest>()
  let closed = false

  const send: Send = ({ url, body, headers }) =>
    new Promise((resolve) => {
      if (closed) return resolve(undefined)
      const failed = (error: Error) =>
        resolve(closed ? undefined : { status: null, error: inPlainWords(error, url) })
      try {
        const secure = url.startsWith('https:')
        const request = (secure ? https : http).request(url, {
          method: 'POST',
          agent: secure ? agents.https : agents.http,
          timeout: TIME_LIMIT,
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'payments-sandbox',
            ...headers,
          },
        })
        running.add(request)
        request.on('close', () => running.delete(request))
        request.on('timeout', () =>
          request.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
        )
        request.on('error', failed)
        request.on('response', (response) => {
          resolve({ status: response.statusCode ?? null, error: '' })
          response.on('error', () => {})
          response.resume()
        })
        request.end(body)
      } catch (error) {
        failed(error as Error)
      }
    })
  return {
    send,
    close() {
      closed = true
      for (const request of running) request.destroy()
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
