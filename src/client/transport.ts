/** How a request leaves: the platform's own `fetch`, or a sandbox in this process. */
export type Fetch = (request: Request) => Response | Promise<Response>

/**
 * An API key of a world.
 * @example
 * ```ts
 * import { connect, type Credentials } from 'payments-sandbox'
 *
 * const owner: Credentials = { username: 'demo', password: 'demo' }
 * const world = connect('http://127.0.0.1:8080', owner)
 * world.username // => 'demo'
 * ```
 */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * The sandbox refused, or could not do, what was asked.
 * @example
 * ```ts
 * import { SandboxError } from 'payments-sandbox'
 *
 * const refused = await world.scenario('no-such-scenario').catch((error: unknown) => error)
 * refused instanceof SandboxError && refused.status // => 404
 * ```
 */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  readonly status: number
  /** `error_code` of the answer; empty when it had none. */
  readonly code: string
  /** The whole answer. */
  readonly body: unknown

  constructor(asked: string, status: number, body: unknown) {
    const { error_code = '', error_message } = (body ?? {}) as { error_code?: string; error_message?: string }
    super(`${asked}: ${error_message ?? `answered ${status}`}`)
    this.status = status
    this.code = error_code
    this.body = body
  }
}

export interface Ask {
  readonly query?: { readonly [name: string]: string | number | undefined } | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly signal?: AbortSignal | undefined
}

/** Requests to one sandbox with one API key. */
export interface Transport {
  readonly url: string
  readonly credentials: Credentials
  /** The value of the header `Authorization`. */
  readonly authorization: string
  /** The answer as it is, with the credentials sent along. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The answer as it is, whatever its status. */
  send(method: string, path: string, ask?: Ask): Promise<Response>
  /** The answer's JSON. @throws SandboxError for a status of 400 and above */
  ask<T>(method: string, path: string, ask?: Ask): Promise<T>
}

export function createTransport(url: string, credentials: Credentials, fetch: Fetch): Transport {
  const authorization = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
  const transport: Transport = {
    url,
    credentials,
    authorization,
    async fetch(path, init = {}) {
      const headers = new Headers(init.headers)
      if (!headers.has('authorization')) headers.set('authorization', authorization)
      // A sandbox may stand below a path of a site.
      const address = new URL(path.startsWith('/') ? url + path : path, url)
      return fetch(new Request(address, { ...init, headers }))
    },
    send: (method, path, { query, body, headers, signal } = {}) =>
      transport.fetch(path + queryText(query), {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      }),
    async ask<T>(method: string, path: string, ask: Ask = {}) {
      const answer = await transport.send(method, path, ask)
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json') === true
      const value: unknown = isJson ? JSON.parse(text) : text
      if (answer.status >= 400) throw new SandboxError(`${method} ${path}`, answer.status, value)
      return value as T
    },
  }
  return transport
}

function queryText(query: Ask['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`
}
