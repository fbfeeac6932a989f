import type { AnswerFault } from '../service/vocabulary/terms.ts'
import type { RouteConfig } from '@hono/zod-openapi'
import type { z } from 'zod'
import type { Caller, Look, Tx } from '../service/domain/context.ts'
import type { Fields } from '../service/domain/facts.ts'
import type { Faults, Readable } from '../service/domain/errors.ts'
import type { Requests as ControlRequests } from '../generated/control/requests.ts'
import type { routes as controlRoutes } from '../generated/control/routes.ts'
import type { Requests as ExtensionRequests } from '../generated/extensions/requests.ts'
import type { routes as extensionRoutes } from '../generated/extensions/routes.ts'
import type { Requests as ServiceRequests } from '../generated/service/requests.ts'
import type { routes as serviceRoutes } from '../generated/service/routes.ts'
import type { World } from '../worlds/world.ts'

export type Reply = JsonReply | TextReply | ListReply | PiecesReply | StreamReply | CutReply

export type Headers = { readonly [name: string]: string }

export interface JsonReply<Status extends number = number, Body = unknown> {
  readonly status: Status
  readonly body: Body
  readonly headers?: Headers
  /** Milliseconds over which the body is sent. */
  readonly spread_over?: number
}

export interface TextReply<Status extends number = number> {
  readonly status: Status
  readonly text: string
  /** Defaults to plain text. */
  readonly type?: string
  readonly headers?: Headers
}

/** JSON that ends with a long list, whose items are generated while it is sent. */
export interface ListReply<Status extends number = number, Body = unknown> {
  readonly status: Status
  /** Its last value, at any depth, is the empty list to fill. */
  readonly body: Body
  readonly list: ListOf<unknown>
}

export interface ListOf<Item> {
  readonly items: Iterable<Item>
  readonly view: (item: Item) => unknown
}

/** Combines items and their view, which have the same type. */
export const listOf = <Item>(items: Iterable<Item>, view: (item: Item) => unknown) =>
  ({ items, view }) as ListOf<unknown>

/** Items that are written at once. */
const AT_ONCE = 200

/**
 * Returns a body whose last list is written item by item if it is long.
 * @param name - the field with the list
 */
export function listIn<Name extends string, Body extends { readonly [Each in Name]: readonly unknown[] }>(
  body: Body,
  name: Name,
): { readonly body: Body; readonly list?: ListOf<unknown> } {
  const items: readonly unknown[] = body[name]
  if (items.length <= AT_ONCE) return { body }
  return { body: { ...body, [name]: [] }, list: listOf(items, (item) => item) }
}

/** JSON generated in pieces. */
export interface PiecesReply<Status extends number = number> {
  readonly status: Status
  readonly pieces: Generator<string>
}

/** A response that continues while the client listens. */
interface StreamReply<Status extends number = number> {
  readonly status: Status
  readonly stream: ReadableStream<Uint8Array>
  readonly headers: Headers
}

/** No response: the connection is broken on purpose. */
interface CutReply {
  readonly cut: AnswerFault
}

/** An authorized and validated request. */
export interface Call<Request = CheckedRequest> {
  /** Absent for operations below `/__admin`. */
  readonly world: World
  readonly caller: Caller
  readonly request: Request
  /** The body's text as sent. */
  readonly text: string
  /** The origin at which the client reached the sandbox, such as `http://127.0.0.1:8080`. */
  readonly origin: string
  /** The address that limits count; undefined within the process. */
  readonly countedAs: string | undefined
  /** Aborted when the client disconnects. */
  readonly left: AbortSignal
  /** The JSON replacer that hides secrets from viewers; undefined for other callers. */
  readonly shown: ((name: string, value: unknown) => unknown) | undefined
  header(name: string): string | undefined
  /** Closes the connection at once; returns false if there is none. */
  endConnection(): boolean
}

export interface CheckedRequest {
  readonly path: Fields
  readonly query: Fields
  readonly headers: Fields
  readonly body: Fields
}

/**
 * How an operation is performed. A function accesses no rows, or many in its own time. An object performs the operation
 * in the same transaction in which a scenario decides its outcome.
 */
export type Handler<Request = CheckedRequest, Answer = Reply> =
  | ((call: Call<Request>) => Answer | Promise<Answer>)
  | RowHandler<Request, Answer>
  | ReaderHandler<Request, Answer>

export type RowHandler<Request = CheckedRequest, Answer = Reply> =
  | ChangeHandler<Request, Answer>
  | ReadHandler<Request, Answer>

interface Checked<Request> {
  /**
   * Adds violated rules to the faults of a malformed request, so that one response reports both. For a well-formed
   * request, `change` or `read` throws them.
   */
  readonly check?: (
    look: Look,
    call: { readonly caller: Caller; readonly request: Readable<Request> },
    faults: Faults,
  ) => void
}

interface ChangeHandler<Request, Answer> extends Checked<Request> {
  readonly change: (tx: Tx, call: Call<Request>) => Answer
  readonly read?: never
}

/** Reads from the world; if `read` returns undefined, `change` is called. */
interface ReadHandler<Request, Answer> extends Checked<Request> {
  readonly read: (look: Look, call: Call<Request>) => Answer | undefined
  readonly change?: (tx: Tx, call: Call<Request>) => Answer
}

/** Reads a long body piece by piece. */
interface ReaderHandler<Request, Answer> {
  readonly readBody: BodyReader
  readonly reply: (call: Call<Request>) => Answer | Promise<Answer>
}

/** @param check - validates a value against the schema */
export type BodyReader = (
  pieces: AsyncIterable<Uint8Array>,
  call: Pick<Call, 'world' | 'header'>,
  check: (value: unknown) => Fields,
) => Promise<Fields>

type JsonOf<Content> = Content extends { readonly 'application/json': { readonly schema: infer S } }
  ? S extends z.ZodType
    ? ReadOnly<z.output<S>>
    : never
  : never

/** As in the generated types, which have no lists that can be changed. */
type ReadOnly<Value> = Value extends object ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> } : Value

type AnswerWith<Status extends number, Content> =
  | (Content extends { readonly 'application/json': unknown }
      ? JsonReply<Status, JsonOf<Content>> | ListReply<Status, JsonOf<Content>> | PiecesReply<Status>
      : never)
  | (Extract<keyof Content, `text/${string}` | 'application/yaml'> extends never ? never : TextReply<Status>)
  | (Content extends { readonly 'text/event-stream': unknown } ? StreamReply<Status> : never)

/** The replies that a generated route declares. */
type ReplyOf<Route> = Route extends { readonly responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends number
        ? Responses[Status] extends { readonly content: infer Content }
          ? AnswerWith<Status, Content>
          : never
        : never
    }[keyof Responses]
  : never

/**
 * A handler for every operation, typed by the description: missing handlers, undeclared statuses and wrong bodies do
 * not compile.
 */
export type Handlers<
  Routes extends Readonly<Record<string, RouteConfig>>,
  Requests extends { readonly [Id in keyof Routes]: object },
> = {
  readonly [Id in keyof Routes]: Handler<Requests[Id], ReplyOf<Routes[Id]>>
}

export type ServiceHandlers = Handlers<typeof serviceRoutes, ServiceRequests>
export type ControlHandlers = Handlers<typeof controlRoutes, ControlRequests>
export type ExtensionHandlers = Handlers<typeof extensionRoutes, ExtensionRequests>
