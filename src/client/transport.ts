import {
  type OperationAnswer,
  type Operation,
  type OperationInput,
  type PathParts,
  placeOf,
  type RefusalOf,
  requireKnown,
} from './operations.ts'

/** How a request leaves: the platform's own `fetch`, or a sandbox in this process. */
export type Send = (request: Request) => Response | Promise<Response>

/** The platform's `fetch`, so that whatever takes one takes this. */
export type Fetch = typeof globalThis.fetch

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
 * What a refusal says. A wait that was in vain says what came instead in other fields.
 * @example
 * ```ts
 * import { type RefusalBody, SandboxError } from 'payments-sandbox'
 *
 * const refused = await world.scenario('no-such-scenario').catch((error: unknown) => error)
 * const body: RefusalBody = refused instanceof SandboxError ? refused.body : {}
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
 * The sandbox, or the service in it, refused, or could not do, what was asked.
 * @example
 * ```ts
 * import { SandboxError } from 'payments-sandbox'
 *
 * const refused = await world.scenario('no-such-scenario').catch((error: unknown) => error)
 * refused instanceof SandboxError && refused.status // => 404
 * refused instanceof SandboxError && refused.operation // => 'switchScenario'
 *
 * const late = await world.callbacks.waitFor({ reference: 'order-9', timeout: '0' }).catch((error: unknown) => error)
 * late instanceof SandboxError && late.isOf('waitForCallbacks') ? late.body.callbacks : 'another' // => []
 * ```
 */
export class SandboxError<Name extends Operation = Operation> extends Error {
  override readonly name = 'SandboxError'
  readonly status: number
  /** `error_code` of the answer; empty when it had none. */
  readonly code: NonNullable<RefusalBody['error_code']> | ''
  /** What was asked for; undefined when it was asked for by its path. */
  readonly operation: Name | undefined
  /** The whole answer; it has no fields when it was no JSON object. */
  readonly body: RefusalBody & Partial<RefusalOf<Name>>

  constructor(asked: string, status: number, body: unknown, operation?: Name) {
    const fields = (typeof body === 'object' && body !== null ? body : {}) as SandboxError<Name>['body']
    super(`${asked}: ${fields.error_message ?? `answered ${status}`}`)
    this.status = status
    this.code = fields.error_code ?? ''
    this.operation = operation
    this.body = fields
  }

  /** Whether this operation was refused, whose refusals the body is one of. */
  isOf<Asked extends Operation>(operation: Asked): this is SandboxError<Asked> {
    return (this.operation as Operation | undefined) === operation
  }
}

export interface Ask {
  readonly query?: { readonly [name: string]: string | number | boolean | undefined } | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
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
  /** Sends a request with the credentials, if it goes to the sandbox. */
  readonly fetch: Fetch
  /** Returns the response with any status. */
  send(method: string, path: string, ask?: Ask): Promise<Response>
  /** Returns the JSON of the response. @throws {SandboxError} For a status of 400 and above. */
  ask<T>(method: string, path: string, ask?: Ask): Promise<T>
  /** Calls an operation of the description, with its types. */
  call<Name extends Operation>(
    operation: Name,
    ...given: OperationInput<Name>
  ): Promise<OperationAnswer<Name>>
  /** Calls an operation with another content type than JSON, or with more headers. */
  callAs<Name extends Operation>(
    operation: Name,
    given: Ask & { readonly path?: PathParts },
  ): Promise<OperationAnswer<Name>>
}

/** How a sandbox is reached. */
export interface Reach {
  readonly send: Send
  /** Returns whether an address is the sandbox's, so that requests to it carry the credentials. */
  readonly leadsThere: (address: URL) => boolean
}

/** The parts of a request that a caller may pass. */
const GIVEN = ['path', 'query', 'body', 'headers', 'text', 'signal']

export function createTransport(url: string, credentials: Credentials, reach: Reach): Transport {
  const authorization = basic(credentials)
  const transport: Transport = {
    url,
    credentials,
    authorization,
    async fetch(input, init) {
      const request = new Request(addressOf(input, url), init)
      if (!request.headers.has('authorization') && reach.leadsThere(new URL(request.url)))
        request.headers.set('authorization', authorization)
      return reach.send(request)
    },
    send: (method, path, { query, body, text, headers, signal } = {}) =>
      transport.fetch(path + queryText(query), {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(text !== undefined && { body: text }),
        ...(signal && { signal }),
      }),
    ask: async <T>(method: string, path: string, ask: Ask = {}) =>
      read<T>(await transport.send(method, path, ask), `${method} ${path}`),
    async call(operation, ...[given]) {
      requireKnown(operation, given ?? {}, GIVEN)
      return transport.callAs(operation, given ?? {})
    },
    async callAs(operation, { path: parts, ...ask }) {
      const { method, path } = placeOf(operation, parts)
      return read(await transport.send(method, path, ask), `${method} ${path}`, operation)
    },
  }
  return transport
}

/** The JSON of an answer, or its text. @throws SandboxError for a status of 400 and above */
async function read<T>(answer: Response, asked: string, operation?: Operation): Promise<T> {
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  const value: unknown = isJson ? JSON.parse(text) : text
  if (answer.status >= 400) throw new SandboxError(asked, answer.status, value, operation)
  return value as T
}

/** The value of `Authorization` (RFC 7617), made with what browsers have, too. */
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
 * Where a request goes.
 * @param input what `fetch` is given: an address, a path of the sandbox or a request
 * @param base of the sandbox; it may stand below a path of a site
 */
export function addressOf(input: string | URL | Request, base: string): Request | URL {
  if (typeof input !== 'string') return input
  return new URL(input.startsWith('/') ? base + input : input, base)
}
