import type { Context } from 'hono'
import { invalid, ServiceError } from '../service/domain/errors.ts'
import { headerOf } from './request-headers.ts'

/** Bytes (open-points, "General"). */
export const BODY_LIMIT = 1_048_576

/**
 * Reads the text of a body as JSON; a missing content type is taken for JSON.
 * @throws ServiceError 400 for another content type, an empty body or broken JSON
 */
export function parseJson(text: string, type: string | undefined): unknown {
  requireJson(type)
  if (text.trim() === '') throw invalid(EMPTY)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(error as Error)
  }
}

export const EMPTY = 'the request body is empty; send a JSON object'

export const notJson = ({ message }: Error) => invalid(`the request body is not valid JSON: ${message}`)

/** @throws ServiceError 400 for a content type that is not JSON's */
export function requireJson(type: string | undefined): void {
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type))
    throw invalid(`content-type "${type}" is not accepted; send application/json`)
}

/** @throws ServiceError 400 when a body comes compressed, by its `content-encoding` */
export function requireUncompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding)) return
  throw invalid(`content-encoding "${encoding}" is not accepted; send the body uncompressed`)
}

/** The text of a request's body. @throws ServiceError 413 over the limit */
export function readText(c: Context, limit = BODY_LIMIT): Promise<string> {
  const length = headerOf(c, 'content-length')
  if (length === undefined || Number(length) > limit) return readPieces(c, limit)
  return c.req.text()
}

async function readPieces(c: Context, limit: number): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of bodyPieces(c, limit)) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** A request's body as it comes in. @throws ServiceError 413 over the limit */
export async function* bodyPieces(c: Context, limit: number): AsyncGenerator<Uint8Array> {
  const length = Number(headerOf(c, 'content-length') ?? 0)
  const most = Math.max(limit, DISCARDED)
  let size = 0
  if (length <= most && c.req.raw.body)
    for await (const piece of c.req.raw.body as unknown as AsyncIterable<Uint8Array>) {
      size += piece.byteLength
      if (size > most) break
      if (size <= limit && length <= limit) yield piece
    }
  if (size > limit || length > limit) throw tooLarge(limit)
}

/**
 * Bytes: a body over its limit that is no longer is read and thrown away before it is refused. Most clients look for the answer
 * once all has left them; one that came before would be lost with the connection.
 */
const DISCARDED = 16 * 1_048_576

const tooLarge = (limit: number) =>
  new ServiceError('payload_too_large', `the request body is over the limit of ${limit} bytes`)
