import type { Context } from 'hono'
import { invalid, ServiceError } from '../domain/errors.ts'

/** Bytes (open-points, "General"). */
export const BODY_LIMIT = 1_048_576

/**
 * Reads a JSON body; a missing content type is taken for JSON.
 * @throws ServiceError 400 for another content type, an empty body or broken JSON, 413 over the limit
 */
export async function readJson(c: Context): Promise<unknown> {
  const type = c.req.header('content-type')
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type))
    throw invalid(`content-type "${type}" is not accepted; send application/json`)
  const text = await readText(c)
  if (text.trim() === '') throw invalid('the request body is empty; send a JSON object')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(`the request body is not valid JSON: ${(error as Error).message}`)
  }
}

async function readText(c: Context): Promise<string> {
  const length = c.req.header('content-length')
  if (length !== undefined) {
    if (Number(length) > BODY_LIMIT) throw tooLarge()
    return c.req.text()
  }
  const body = c.req.raw.body
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > BODY_LIMIT) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const tooLarge = () =>
  new ServiceError('payload_too_large', `the request body is over the limit of ${BODY_LIMIT} bytes`)
