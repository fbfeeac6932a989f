import type { Context } from 'hono'
import { invalid, ServiceError } from '../domain/errors.ts'
import { headerOf } from './header-in.ts'

/** Bytes (open-points, "General"). */
export const BODY_LIMIT = 1_048_576

/**
 * Reads the text of a body as JSON; a missing content type is taken for JSON.
 * @throws ServiceError 400 for another content type, an empty body or broken JSON
 */
export function parseJson(text: string, type: string | undefined): unknown {
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type))
    throw invalid(`content-type "${type}" is not accepted; send application/json`)
  if (text.trim() === '') throw invalid('the request body is empty; send a JSON object')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(`the request body is not valid JSON: ${(error as Error).message}`)
  }
}

/** @throws ServiceError 400 when a body comes compressed, by its `content-encoding` */
export function requireUncompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding)) return
  throw invalid(`content-encoding "${encoding}" is not accepted; send the body uncompressed`)
}

/** The text of a request's body. @throws ServiceError 413 over the limit */
export function readText(c: Context, limit = BODY_LIMIT): Promise<string> {
  const length = headerOf(c, 'content-length')
  if (length === undefined) return readUnmeasured(c, limit)
  return Number(length) > limit ? Promise.reject(tooLarge(limit)) : c.req.text()
}

async function readUnmeasured(c: Context, limit: number): Promise<string> {
  const body = c.req.raw.body
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const tooLarge = (limit: number) =>
  new ServiceError('payload_too_large', `the request body is over the limit of ${limit} bytes`)
