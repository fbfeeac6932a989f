/** What a handler answers. Only `Exchange.send` makes a response of it. */
import type { AnswerFault } from '../service/vocabulary/terms.ts'

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
