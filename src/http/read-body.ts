import type { Context } from 'hono'
import { isObject } from '../lib/objects.ts'
import type { FieldPath } from '../lib/text/field-path.ts'
import { invalid, ServiceError } from '../service/domain/errors.ts'
import { fieldName } from './errors.ts'
import { headerOf } from './origin.ts'

/** Bytes (open-points, "General"). */
export const BODY_LIMIT = 1_048_576

/**
 * Parses a body as JSON; a missing content type counts as JSON.
 * @throws {ServiceError} 400 for another content type, an empty body or invalid JSON
 */
export function parseJson(text: string, type: string | undefined): unknown {
  requireJson(type)
  if (text.trim() === '') throw invalid(EMPTY)
  try {
    return withoutNul(text)
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error) : error
  }
}

/** @throws {SyntaxError} for invalid JSON, ServiceError 400 if a text contains U+0000 */
export function withoutNul(json: string, at: FieldPath[number][] = []): unknown {
  const value: unknown = JSON.parse(json)
  // For speed: only few texts contain the escape of U+0000, or what looks like it.
  if (json.includes(String.raw`\u0000`)) requireNoNul(value, at)
  return value
}

/** PostgreSQL cannot store U+0000. */
export const hasNul = (text: string): boolean => text.includes('\0')

/** @throws {ServiceError} 400 that names the field whose text or name contains U+0000 */
export function requireNoNul(value: unknown, at: FieldPath[number][] = []): void {
  if (typeof value === 'string' && hasNul(value)) throw invalid(`${fieldName(at)} ${NO_NUL}`)
  if (!isObject(value)) return
  if (at.length > DEEPEST) throw invalid(TOO_DEEP)
  const isList = Array.isArray(value)
  for (const [name, inner] of Object.entries(value)) {
    if (hasNul(name)) throw invalid(`each name of a field in ${fieldName(at)} ${NO_NUL}`)
    at.push(isList ? Number(name) : name)
    requireNoNul(inner, at)
    at.pop()
  }
}

/** @throws {ServiceError} 400 if a path or its query contains U+0000 */
export function requireNoNulIn(url: string): void {
  if (url.includes('%00')) throw invalid(`the URL of the request ${NO_NUL} (%00)`)
}

const NO_NUL = 'must not contain U+0000'

export const EMPTY = 'the request body is empty; send a JSON object'

export const notJson = ({ message }: Error) => invalid(`the request body is not valid JSON: ${message}`)

/** @throws {ServiceError} 400 for another content type */
export function requireJson(type: string | undefined): void {
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type))
    throw invalid(`content-type "${type}" is not accepted; send application/json`)
}

/** @throws {ServiceError} 400 for a compressed body */
export function requireUncompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding)) return
  throw invalid(`content-encoding "${encoding}" is not accepted; send the body uncompressed`)
}

/** @throws {ServiceError} 400 if the text contains U+0000, 413 over the limit */
export async function readText(c: Context, limit = BODY_LIMIT): Promise<string> {
  const length = headerOf(c, 'content-length')
  const text = await (length === undefined || Number(length) > limit ? readPieces(c, limit) : c.req.text())
  if (hasNul(text)) {
    // Report the compression instead, if any.
    requireUncompressed(headerOf(c, 'content-encoding'))
    requireNoNul(text)
  }
  return text
}

async function readPieces(c: Context, limit: number): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of bodyPieces(c, limit)) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** @throws {ServiceError} 413 over the limit */
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
 * Bytes up to which the rest of a body over its limit is read and discarded. Most clients read the response only after
 * sending everything, and would lose it if the connection closed earlier.
 */
const DISCARDED = 16 * 1_048_576

const tooLarge = (limit: number) =>
  new ServiceError('payload_too_large', `the request body is over the limit of ${limit} bytes`)

/** Levels of nesting that are accepted in any field; scenario files have the most, a dozen. */
const DEEPEST = 100
const TOO_DEEP = `the request body is nested deeper than ${DEEPEST} levels`

/** @throws {ServiceError} 400 if a value is nested so deep that showing or storing it would overflow the stack */
export function requireShallow(fields: object): void {
  if (isDeeper(fields, DEEPEST)) throw invalid(TOO_DEEP)
}

const isDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))
