/** What every signature profile is given, and what it hands back. */

/** One attempt of a callback, before it is signed. */
export interface CallbackRequest {
  /** The event's id: the same for every attempt. */
  readonly id: string
  /** When the attempt is made, whole seconds of the wall clock (receivers compare it with theirs). */
  readonly timestampSeconds: number
  readonly method: string
  /** The address as it is called, after rewriting. */
  readonly url: string
  /** The bytes that are sent: serialised once, signed and sent as they are. */
  readonly body: Buffer | string
  readonly contentType: string
}

/** Headers to add to the request. */
export type SignatureHeaders = Record<string, string>

/** The bytes of a body; a string is UTF-8. */
export function bodyBytes(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body
}

/** `{part}.{part}.{body}` without ever decoding the body. */
export function dotted(parts: readonly (string | number)[], body: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(parts.map((part) => `${part}.`).join(''), 'utf8'), bodyBytes(body)])
}
