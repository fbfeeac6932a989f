import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { etag } from 'hono/etag'
import { mountOf, originOf } from '../http/origin.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { lazy } from '../lib/lazy.ts'

export interface Asset {
  /** Its content type. */
  readonly type: string
  /** Reads or makes it; called at the first request, and again after a failure. */
  readonly make: () => Promise<string | Uint8Array>
  /** The same, compressed already, where it is there. */
  readonly brotli?: () => Promise<Uint8Array | undefined>
  /** What else it is sent with. */
  readonly headers?: { readonly [name: string]: string }
  /** Its `Cache-Control`; without it clients ask each time and compare the tag. */
  readonly cache?: string
}

/** Where a client reaches the sandbox. */
export interface BaseAddress {
  /** Such as `https://pay.example.com/sandbox`. */
  readonly origin: string
  /** The path of `origin`, such as `/sandbox`; often empty. */
  readonly mount: string
}

/** An asset whose text contains the address of the sandbox. */
interface AddressedAsset extends Pick<Asset, 'type' | 'headers'> {
  /** Renders the text; called once for all addresses. */
  readonly make: (address: BaseAddress) => Promise<string>
}

/** Responds with 304 to a client that has the asset. Stands in front of `asset`, and behind middleware that adds headers to each response. */
export const unlessKnown = etag()

type Bytes = Uint8Array<ArrayBuffer>
type Encoding = 'br' | 'gzip' | 'identity'

const encodings: readonly Encoding[] = ['br', 'gzip']
/** Bytes below which compressing saves less than its header costs. */
const SMALL = 512
/** Bytes that are handed to a connection at once: a client that does not read holds no more of a response. */
const PIECE = 65_536
/** Addresses for which an asset is compressed. Anyone may send any Host header, so further ones get it uncompressed. */
const COMPRESSED_ADDRESSES = 4
/** Stand for the address while a text is rendered. */
const MARKS: BaseAddress = { origin: 'http://origin.sandbox.invalid', mount: '/mount.sandbox.invalid' }
/** The world to whose share of the event loop assets count. */
const NO_WORLD = ''
const MARK = /http:\/\/(origin)\.sandbox\.invalid|\/(mount)\.sandbox\.invalid/

/** A rendered text: its bytes, with the names of values that differ by address between them. */
interface Content {
  readonly pieces: readonly (Bytes | keyof BaseAddress)[]
  readonly tag: string
}

/**
 * Serves what is the same for every client as long as the process lives. It is compressed once for each encoding, when a
 * client first accepts it.
 */
export function asset({ make, brotli, ...sent }: Asset): (c: Context) => Promise<Response> {
  const content = untilMade(async () => contentOf([bytesOf(await make())]))
  const compressed = compressions(async () => (await content()).pieces[0] as Bytes, brotli)
  return async (c) => {
    const { pieces, tag } = await content()
    return send(c, sent, pieces as readonly Bytes[], tag, compressed)
  }
}

/**
 * Serves a text that contains the address of the sandbox. It is rendered once, and each response fills the address in: neither
 * time nor memory grows with the Host headers that clients send.
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

/** All connections share the bytes of a long one: a `Response` of bytes, in contrast to one of a stream, copies them. */
function bodyOf(pieces: readonly Bytes[]): Bytes | ReadableStream<Uint8Array> {
  if (lengthOf(pieces) <= PIECE) return new Uint8Array(Buffer.concat(pieces))
  const parts = inParts(pieces)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A connection takes megabytes at once: other requests are served between the parts.
      await timeSlice(NO_WORLD)
      const { value, done } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** The same bytes in parts of about one size. */
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
