import {
  type OperationResponse,
  type Operation,
  type OperationInput,
  type PathParts,
  placeOf,
  type RefusalOf,
  requireKnown,
} from './operations.ts'

/** Sends a request: over the network, or to a sandbox in this process. */
export type Send = (request: Request) => Response | Promise<Response>

/** The platform's `fetch`. */
export type Fetch = typeof globalThis.fetch

/**
 * An API key of a world.
 * @example
 * ```ts
 * const owner: Credentials = { username: 'demo', password: 'demo' }
 * const demo = connect('http://127.0.0.1:8080', owner)
 * demo.username // => 'demo'
 * ```
 */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * The body of an error response. If a wait timed out, further fields describe the state at that time.
 * @example
 * ```ts
 * const error = await world.scenario('no-such-scenario').catch((error: unknown) => error)
 * const body: RefusalBody = error instanceof SandboxError ? error.body : {}
 * body.error_code // => 'resource_not_found'
 * ```
 */
export interface RefusalBody {
  readonly error_code?: RefusalOf<'createWorld'>['error_code']
  /** For people. */
  readonly error_message?: string
  readonly status_code?: number
  readonly [field: string]: unknown
}

/**
 * An error response of the sandbox.
 * @example
 * ```ts
 * const error = await world.scenario('no-such-scenario').catch((error: unknown) => error)
 * error instanceof SandboxError && error.status // => 404
 * error instanceof SandboxError && error.operation // => 'switchScenario'
 *
 * const late = await world.callbacks.waitFor({ reference: 'order-9', timeout: '0' }).catch((error: unknown) => error)
 * late instanceof SandboxError && late.isOf('waitForCallbacks') ? late.body.callbacks : 'another' // => []
 * ```
 */
export class SandboxError<Name extends Operation = Operation> extends Error {
  override readonly name = 'SandboxError'
  readonly status: number
  /** `error_code` of the response; empty if it has none. */
  readonly code: NonNullable<RefusalBody['error_code']> | ''
  /** The operation that failed; `undefined` if it was called by its path. */
  readonly operation: Name | undefined
  /** The whole response; without fields if it was not a JSON object. */
  readonly body: RefusalBody & Partial<RefusalOf<Name>>

  /** @param why - The reason, by default that of the body. */
  constructor(call: string, status: number, body: unknown, operation?: Name, why?: string) {
    const fields = (typeof body === 'object' && body !== null ? body : {}) as SandboxError<Name>['body']
    super(`${call}: ${why ?? fields.error_message ?? `answered ${status}`}`)
    this.status = status
    this.code = fields.error_code ?? ''
    this.operation = operation
    this.body = fields
  }

  /** Returns whether this operation failed, and narrows `body` to its errors. */
  isOf<Other extends Operation>(operation: Other): this is SandboxError<Other> {
    return (this.operation as Operation | undefined) === operation
  }
}

export interface Ask {
  readonly query?: { readonly [name: string]: string | number | boolean | undefined } | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged. */
  readonly text?: string
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly signal?: AbortSignal | undefined
}

/** Requests to one sandbox with one API key. */
export interface Transport {
  readonly url: string
  readonly credentials: Credentials
  /** The value of the header `Authorization`. */
  readonly authorization: string
  /** Sends a request, with the credentials if it goes to the sandbox. */
  readonly fetch: Fetch
  /** Returns the response with any status. */
  send(method: string, path: string, ask?: Ask): Promise<Response>
  /** Returns the JSON of the response. @throws {SandboxError} For a status of 400 and above. */
  ask<T>(method: string, path: string, ask?: Ask): Promise<T>
  /** Calls an operation of the description, with its types. */
  call<Name extends Operation>(
    operation: Name,
    ...given: OperationInput<Name>
  ): Promise<OperationResponse<Name>>
  /** Calls an operation with another content type than JSON, or with more headers. */
  callAs<Name extends Operation>(
    operation: Name,
    given: Ask & { readonly path?: PathParts },
  ): Promise<OperationResponse<Name>>
}

/** How to reach a sandbox. */
export interface Reach {
  readonly send: Send
  /** Returns whether an address is the sandbox's, so that requests to it carry the credentials. */
  readonly leadsThere: (address: URL) => boolean
}

/** Properties of the argument of `call`. */
const INPUTS = ['path', 'query', 'body', 'headers', 'text', 'signal']

/**
 * @param address - The URL of the sandbox, or a function that returns it if it may change.
 * @param isCreated - Whether the sandbox created the credentials together with their world.
 */
export function createTransport(
  address: string | (() => string),
  credentials: Credentials,
  reach: Reach,
  isCreated = false,
): Transport {
  const authorization = basic(credentials)
  const { username } = credentials
  const ended = `the world of ${username} has ended: it was deleted, or not used for too long; create another one`
  const transport: Transport = {
    get url() {
      return typeof address === 'string' ? address : address()
    },
    credentials,
    authorization,
    async fetch(input, init) {
      const request = new Request(addressOf(input, transport.url), init)
      if (!request.headers.has('authorization') && reach.leadsThere(new URL(request.url)))
        request.headers.set('authorization', authorization)
      return reach.send(request)
    },
    send: (method, path, { query, body, text, headers, signal } = {}) =>
      transport.fetch(path + queryText(query), {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        body: body === undefined ? (text ?? null) : JSON.stringify(body),
        signal: signal ?? null,
      }),
    ask: async <T>(method: string, path: string, ask: Ask = {}) =>
      read<T>(await transport.send(method, path, ask), `${method} ${path}`),
    async call(operation, ...[given]) {
      requireKnown(operation, given ?? {}, INPUTS)
      return transport.callAs(operation, given ?? {})
    },
    async callAs(operation, { path: parts, ...ask }) {
      const { method, path } = placeOf(operation, parts)
      const response = await transport.send(method, path, ask)
      const hint = response.headers.get('sandbox-hint')
      const isEnded = isCreated && response.status === 401 && ask.headers?.['authorization'] === undefined
      return read(response, `${method} ${path}`, operation, hint ?? (isEnded ? ended : undefined))
    },
  }
  return transport
}

/** Returns the body of a response, parsed if it is JSON. @throws {SandboxError} For a status of 400 and above. */
async function read<T>(response: Response, call: string, operation?: Operation, why?: string): Promise<T> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const value: unknown = isJson ? JSON.parse(text) : text
  if (response.status >= 400) throw new SandboxError(call, response.status, value, operation, why)
  return value as T
}

/** Returns the value of `Authorization` (RFC 7617), by means that browsers also have. */
function basic({ username, password }: Credentials): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`)
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}

function queryText(query: Ask['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`
}

/**
 * Resolves an argument of `fetch`.
 * @param input - A URL, a path of the sandbox, or a request.
 * @param base - The URL of the sandbox; it may have a path.
 */
export function addressOf(input: string | URL | Request, base: string): Request | URL {
  if (typeof input !== 'string') return input
  return new URL(input.startsWith('/') ? base + input : input, base)
}
