import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** A callback as the sandbox sent it. */
export interface SentCallback {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** Its own to a connection, so set anew by each. */
const ofTheConnection = ['host', 'content-length', 'connection', 'transfer-encoding']

/**
 * Where a callback goes on the local server: to its own path and query, or to the one that `forwardTo` names.
 * @param forwardTo the local server's address, with or without a path
 */
export function localUrl(forwardTo: string, { url }: SentCallback): URL {
  const target = new URL(forwardTo)
  if (target.pathname !== '/' || target.search) return target
  const { pathname, search } = new URL(url)
  return new URL(`${pathname}${search}`, target)
}

/**
 * Sends the callback on with its headers and bytes. The Host header is the local server's, unless a signature covers
 * the one that the sandbox called.
 * @returns the local server's status @throws when it gives no answer within `timeout` milliseconds
 */
export function forward(sent: SentCallback, to: URL, timeout: number): Promise<number> {
  const body = Buffer.from(sent.body, 'utf8')
  const signedHost = Object.keys(sent.headers).some((name) => name.toLowerCase() === 'signature-input')
  const headers = Object.entries(sent.headers).filter(
    ([name]) => !ofTheConnection.includes(name.toLowerCase()),
  )
  return new Promise((resolve, reject) => {
    const request = (to.protocol === 'https:' ? requestHttps : requestHttp)(to, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(headers),
        host: signedHost ? new URL(sent.url).host : to.host,
        'content-length': body.length,
      },
      signal: AbortSignal.timeout(timeout),
    })
    request.on('error', reject)
    request.on('response', (answer) => {
      answer.on('error', reject)
      answer.resume().on('end', () => resolve(answer.statusCode!))
    })
    request.end(body)
  })
}
