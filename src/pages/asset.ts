import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { etag } from 'hono/etag'
import { mountOf, originOf } from '../http/caller.ts'
import { timeSlice } from '../lib/clock/clock.ts'
import { lazy } from '../lib/lazy.ts'

export interface Asset {
  readonly type: string
  /** Reads or renders the content on the first request, and again after a failure. */
  readonly make: () => Promise<string | Uint8Array>
  /** The precompressed content, if it exists. */
  readonly brotli?: () => Promise<Uint8Array | undefined>
  /** Additional response headers. */
  readonly headers?: { readonly [name: string]: string }
  /** Its `Cache-Control`. By default clients revalidate by the ETag. */
  readonly cache?: string
}

export interface BaseAddress {
  /** For example `https://pay.example.com/sandbox`. */
  readonly origin: string
  /** The path of `origin`, for example `/sandbox`; often empty. */
  readonly mount: string
}

/** Media types of texts by the endings of their files. */
export const types = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
} as const

/** An asset whose text contains the address of the sandbox. */
interface AddressedAsset extends Pick<Asset, 'type' | 'headers'> {
  /** Renders the text; called once for all addresses. */
  readonly make: (address: BaseAddress) => Promise<string>
}

/**
 * Responds with 304 if the client has the asset. Register it before `asset` and after middleware that adds
 * headers.
 */
export const unlessKnown = etag()

type Bytes = Uint8Array<ArrayBuffer>
type Encoding = 'br' | 'gzip' | 'identity'

const encodings: readonly Encoding[] = ['br', 'gzip']
/** Below this size, compression saves less than its header adds. */
const SMALL = 512
/** Bytes written at once, which limits the memory per slow client. */
const PIECE = 65_536
/** Addresses for which an asset is compressed. Anyone may send any Host header, so further ones get it uncompressed. */
const COMPRESSED_ADDRESSES = 4
/** Placeholders for the address in a rendered text. */
const MARKS: BaseAddress = { origin: 'http://origin.sandbox.invalid', mount: '/mount.sandbox.invalid' }
/** Assets are served in time slices that belong to no world. */
const NO_WORLD = ''
const MARK = /http:\/\/(origin)\.sandbox\.invalid|\/(mount)\.sandbox\.invalid/

/** A rendered text, split at the placeholders for the address. */
interface Content {
  readonly pieces: readonly (Bytes | keyof BaseAddress)[]
  readonly tag: string
}

/** Serves content that is the same for all clients. It is compressed once per encoding, on first use. */
export function asset({ make, brotli, ...sent }: Asset): (c: Context) => Promise<Response> {
  const content = untilMade(async () => contentOf([bytesOf(await make())]))
  const compressed = compressions(async () => (await content()).pieces[0] as Bytes, brotli)
  return async (c) => {
    const { pieces, tag } = await content()
    return send(c, sent, pieces as readonly Bytes[], tag, compressed)
  }
}

/**
 * Serves a text that contains the sandbox's address. The text is rendered once and each response fills in its
 * address, so that Host headers of clients cost neither time nor memory.
 */
export function addressedAsset({ make, ...sent }: AddressedAsset): (c: Context) => Promise<Response> {
  const content = untilMade(async () =>
    contentOf(
      (await make(MARKS)).split(MARK).flatMap((each): Content['pieces'] => {
        if (each === undefined || each === '') return []
        return each === 'origin' || each === 'mount' ? [each] : [bytesOf(each)]
      }),
    ),
  )
  const kept = new Map<string, Compressions>()
  return async (c) => {
    const address = { origin: originOf(c), mount: mountOf(c) }
    const { pieces, tag } = await content()
    const values = { origin: bytesOf(address.origin), mount: bytesOf(address.mount) }
    const filled = pieces.map((each) => (typeof each === 'string' ? values[each] : each))
    let compressed = kept.get(address.origin)
    if (!compressed && kept.size < COMPRESSED_ADDRESSES) {
      compressed = compressions(async () => new Uint8Array(Buffer.concat(filled)))
      kept.set(address.origin, compressed)
    }
    return send(c, sent, filled, digestOf([tag, address.origin]), compressed)
  }
}

async function send(
  c: Context,
  { type, headers, cache = 'no-cache' }: Omit<Asset, 'make'>,
  plain: readonly Bytes[],
  tag: string,
  compressed: Compressions | undefined,
): Promise<Response> {
  const length = lengthOf(plain)
  const encoding = !compressed || length < SMALL ? 'identity' : encodingFor(c)
  c.header('Vary', 'Accept-Encoding', { append: true })
  c.header('Cache-Control', cache)
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('ETag', encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`)
  if (encoding !== 'identity') c.header('Content-Encoding', encoding)
  const sent = encoding === 'identity' ? plain : [await compressed![encoding]()]
  c.header('Content-Length', String(lengthOf(sent)))
  return c.body(bodyOf(sent), 200, { ...headers, 'content-type': type })
}

const lengthOf = (pieces: readonly Bytes[]) => pieces.reduce((sum, { length }) => sum + length, 0)

/** Streams long content, so that connections share its bytes; a `Response` of bytes would copy them. */
function bodyOf(pieces: readonly Bytes[]): Bytes | ReadableStream<Uint8Array> {
  if (lengthOf(pieces) <= PIECE) return new Uint8Array(Buffer.concat(pieces))
  const parts = inParts(pieces)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A connection accepts megabytes at once. Other requests run between the parts.
      await timeSlice(NO_WORLD)
      const { value, done } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** Splits content into parts of about equal size. */
function* inParts(pieces: readonly Bytes[]): Generator<Uint8Array, undefined> {
  let part: Uint8Array[] = []
  let size = 0
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += PIECE) {
      const bytes = piece.subarray(at, at + PIECE)
      part.push(bytes)
      size += bytes.length
      if (size < PIECE) continue
      yield joined(part)
      part = []
      size = 0
    }
  if (size > 0) yield joined(part)
}

const joined = (parts: readonly Uint8Array[]) => (parts.length === 1 ? parts[0]! : Buffer.concat(parts))

const bytesOf = (made: string | Uint8Array): Bytes =>
  typeof made === 'string' ? new TextEncoder().encode(made) : new Uint8Array(made)

const contentOf = (pieces: Content['pieces']): Content => ({ pieces, tag: digestOf(pieces) })

function digestOf(pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('base64url').slice(0, 22)
}

type Compressions = { readonly [Form in Exclude<Encoding, 'identity'>]: () => Promise<Bytes> }

const compressions = (plain: () => Promise<Bytes>, brotli?: Asset['brotli']): Compressions => ({
  br: untilMade(async () => {
    const made = await brotli?.()
    return made ? new Uint8Array(made) : compress.br(await plain())
  }),
  gzip: untilMade(async () => compress.gzip(await plain())),
})

/** Returns the best encoding that the client accepts; browsers weight all equally. */
const encodingFor = (c: Context) =>
  accepts(c, {
    header: 'Accept-Encoding',
    supports: [...encodings],
    default: 'identity',
    match: (taken, { supports }) =>
      supports.find((each) => taken.some(({ type, q }) => type === each && q > 0)) ?? 'identity',
  }) as Encoding

// Quality 5 of 11 takes half a second for the viewer and is 10 % smaller than gzip.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const compress = {
  br: async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await promisify(brotliCompress)(bytes, BROTLI)),
  gzip: async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await promisify(gzip)(bytes)),
}

/** Caches the results of a function by their name. */
export function byName<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>()
  return (name) => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    return known
  }
}

/** Returns the list of built files in a folder, or undefined if they are not built. */
export const readBuilt = async <Built>(folder: URL): Promise<Built | undefined> =>
  readFile(new URL('built.json', folder), 'utf8').then(
    (text) => JSON.parse(text) as Built,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    },
  )

/** Caches the result of a function, unless it fails. */
export function untilMade<T>(make: () => Promise<T>): () => Promise<T> {
  let kept = lazy(make)
  return () =>
    kept().catch((error: unknown) => {
      kept = lazy(make)
      throw error
    })
}
