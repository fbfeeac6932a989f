/** What a handler answers. Only `Exchange.send` makes a response of it. */
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

type Headers = { readonly [name: string]: string }

/** An answer of JSON. */
export interface JsonReply<Status extends number = number, Body = unknown> {
  readonly status: Status
  readonly body: Body
  readonly headers?: Headers
  /** Milliseconds over which its bytes leave; at once when left out. */
  readonly spread_over?: number
}

/** An answer of text. */
export interface TextReply<Status extends number = number> {
  readonly status: Status
  readonly text: string
  /** Its content type; plain text when left out. */
  readonly type?: string
  readonly headers?: Headers
}

/** An answer of JSON with a long list in it, each item made and written when its turn comes. */
export interface ListReply<Status extends number = number, Body = unknown> {
  readonly status: Status
  /** What is answered; the last thing in it, however deep, is the empty list that is to be filled. */
  readonly body: Body
  readonly list: ListOf<unknown>
}

export interface ListOf<Item> {
  readonly items: Iterable<Item>
  /** What is written of an item. */
  readonly view: (item: Item) => unknown
}

/** The items of a list and how they are shown, of one type. */
export const listOf = <Item>(items: Iterable<Item>, view: (item: Item) => unknown) =>
  ({ items, view }) as ListOf<unknown>

/** Items of a list that are written at once. */
const AT_ONCE = 200

/** A body whose last list is written item by item where it is long. @param name the field with the list */
export function listIn<Name extends string, Body extends { readonly [Each in Name]: readonly unknown[] }>(
  body: Body,
  name: Name,
): { readonly body: Body; readonly list?: ListOf<unknown> } {
  const items: readonly unknown[] = body[name]
  if (items.length <= AT_ONCE) return { body }
  return { body: { ...body, [name]: [] }, list: listOf(items, (item) => item) }
}

/** An answer of JSON that is written in parts. */
export interface PiecesReply<Status extends number = number> {
  readonly status: Status
  readonly pieces: Generator<string>
}

/** An answer that goes on as long as the client listens. */
export interface StreamReply<Status extends number = number> {
  readonly status: Status
  readonly stream: ReadableStream<Uint8Array>
  readonly headers: Headers
}

/** No answer: the connection is broken on purpose. */
interface CutReply {
  readonly cut: AnswerFault
}

/** A request that may be done: whose world it is, who asks, and what was sent, checked. */
export interface Call<Request = CheckedRequest> {
  /** Operations below `/__admin` are of no world, and must not ask for it. */
  readonly world: World
  readonly caller: Caller
  readonly request: Request
  /** The text of the body as it was sent. */
  readonly text: string
  /** Where the client reached the sandbox, such as `http://127.0.0.1:8080`. */
  readonly origin: string
  /** Whom limits by address count the client as; undefined within the process. */
  readonly countedAs: string | undefined
  /** Aborted when the client has left. */
  readonly left: AbortSignal
  /** The replacer that JSON is shown through to a caller who may only read; undefined for others. */
  readonly shown: ((name: string, value: unknown) => unknown) | undefined
  /** A header of the request, its name in whatever case. */
  header(name: string): string | undefined
  /** Ends the connection whatever is still to be sent; false when there is none. */
  endConnection(): boolean
}

/** The parts of a request, each as its schema has it. */
export interface CheckedRequest {
  readonly path: Fields
  readonly query: Fields
  readonly headers: Fields
  readonly body: Fields
}

/**
 * What is done for a request. A plain function looks at no rows, or at many in its own time; of the operations that scenarios
 * may decide, those that change or read a world say so, and deciding and doing are one transaction.
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
   * Called when the form of a request is at fault: adds what the rules refuse of its values, so that both are told in one
   * answer. When the form is right, `change` or `read` refuses them.
   */
  readonly check?: (
    look: Look,
    call: { readonly caller: Caller; readonly request: Readable<Request> },
    faults: Faults,
  ) => void
}

/** Changes the world. */
interface ChangeHandler<Request, Answer> extends Checked<Request> {
  readonly change: (tx: Tx, call: Call<Request>) => Answer
  readonly read?: never
}

/** Looks at the world. Where `read` returns undefined there is something to change, and `change` is called. */
interface ReadHandler<Request, Answer> extends Checked<Request> {
  readonly read: (look: Look, call: Call<Request>) => Answer | undefined
  readonly change?: (tx: Tx, call: Call<Request>) => Answer
}

/** Reads its body piece by piece, as it is too long to be read at once. */
interface ReaderHandler<Request, Answer> {
  readonly readBody: BodyReader
  readonly reply: (call: Call<Request>) => Answer | Promise<Answer>
}

/** @param check holds what was read against the schema */
export type BodyReader = (
  pieces: AsyncIterable<Uint8Array>,
  call: Pick<Call, 'world' | 'header'>,
  check: (value: unknown) => Fields,
) => Promise<Fields>

type JsonOf<Content> = Content extends { readonly 'application/json': { readonly schema: infer S } }
  ? S extends z.ZodType
    ? z.output<S>
    : never
  : never

type AnswerWith<Status extends number, Content> =
  | (Content extends { readonly 'application/json': unknown }
      ? JsonReply<Status, JsonOf<Content>> | ListReply<Status, JsonOf<Content>> | PiecesReply<Status>
      : never)
  | (Extract<keyof Content, `text/${string}` | 'application/yaml'> extends never ? never : TextReply<Status>)
  | (Content extends { readonly 'text/event-stream': unknown } ? StreamReply<Status> : never)

/** What a generated route may answer. */
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
 * A handler for every operation: what it reads is typed by the description, and an operation without a handler, a
 * status that is not declared or a body of another shape does not compile.
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
