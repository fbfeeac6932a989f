/** How a request leaves: the platform's own `fetch`, or a sandbox in this process. */
export type Fetch = (request: Request) => Response | Promise<Response>

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The sandbox refused, or could not do, what was asked. */
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
  readonly body?: unknown
}

/** Requests to one sandbox with one API key. */
export interface Transport {
  readonly url: string
  readonly credentials: Credentials
  /** The value of the header `Authorization`. */
  readonly authorization: string
  /** The answer as it is, with the credentials sent along. */
  fetch(path: string, init?: RequestInit): Promise<Response>
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
      return fetch(new Request(new URL(path, url), { ...init, headers }))
    },
    async ask<T>(method: string, path: string, { query, body }: Ask = {}) {
      const answer = await transport.fetch(path + queryText(query), {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
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
