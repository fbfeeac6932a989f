import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { etag } from 'hono/etag'
import { lazy } from '../lib/lazy.ts'

export interface Asset {
  /** Its content type. */
  readonly type: string
  /** Reads or makes it; asked at the first request for it, and again after a failure. */
  readonly make: () => Promise<string | Uint8Array>
  /** The same, compressed already, where it is there. */
  readonly brotli?: () => Promise<Uint8Array | undefined>
  /** What else it is sent with. */
  readonly headers?: { readonly [name: string]: string }
  /** Its `Cache-Control`; asked for anew each time, and told by its tag whether it changed, when left out. */
  readonly cache?: string
}

/** Answers 304 to whoever has it already. Stands in front of `asset`, and behind what adds headers to each answer. */
export const unlessKnown = etag()

type Bytes = Uint8Array<ArrayBuffer>
type Encoding = 'br' | 'gzip' | 'identity'

const encodings: readonly Encoding[] = ['br', 'gzip']
/** Bytes below which compressing saves less than its header costs. */
const SMALL = 512

/**
 * Serves what is the same for everybody as long as the process lives. It is compressed once for each encoding, when first a
 * client takes it.
 */
export function asset({
  type,
  make,
  brotli,
  headers,
  cache = 'no-cache',
}: Asset): (c: Context) => Promise<Response> {
  const plain = untilMade(async () => contentOf(await make()))
  const encoded = {
    br: untilMade(async () => {
      const made = await brotli?.()
      return made ? new Uint8Array(made) : compress.br((await plain()).bytes)
    }),
    gzip: untilMade(async () => compress.gzip((await plain()).bytes)),
    identity: async () => (await plain()).bytes,
  }
  return async (c) => {
    const { bytes, tag } = await plain()
    const encoding = bytes.length < SMALL ? 'identity' : encodingFor(c)
    c.header('Vary', 'Accept-Encoding', { append: true })
    c.header('Cache-Control', cache)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('ETag', encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`)
    if (encoding !== 'identity') c.header('Content-Encoding', encoding)
    return c.body(await encoded[encoding](), 200, { ...headers, 'content-type': type })
  }
}

function contentOf(made: string | Uint8Array): { readonly bytes: Bytes; readonly tag: string } {
  const bytes = typeof made === 'string' ? new TextEncoder().encode(made) : new Uint8Array(made)
  return { bytes, tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) }
}

/** The best that the client takes; browsers weigh all of them alike. */
const encodingFor = (c: Context) =>
  accepts(c, {
    header: 'Accept-Encoding',
    supports: [...encodings],
    default: 'identity',
    match: (taken, { supports }) =>
      supports.find((each) => taken.some(({ type, q }) => type === each && q > 0)) ?? 'identity',
  }) as Encoding

// The fifth of eleven qualities: half a second for the viewer, and a tenth smaller than gzip.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const compress = {
  br: async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await promisify(brotliCompress)(bytes, BROTLI)),
  gzip: async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await promisify(gzip)(bytes)),
}

/** Made at the first call, and again after a failure. */
export function untilMade<T>(make: () => Promise<T>): () => Promise<T> {
  let kept = lazy(make)
  return () =>
    kept().catch((error: unknown) => {
      kept = lazy(make)
      throw error
    })
}
