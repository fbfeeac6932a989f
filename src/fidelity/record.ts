/** The recording proxy: passes every request to the service and every callback to the shop unchanged. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { systemMonotonic, later, systemWall } from '../lib/clock/clock.ts'
import { systemSecrets } from '../lib/random/random.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { type HarEntry, headerIn, type Pairs } from './har.ts'
import { referenceIn } from './messages.ts'
import { createOrigin, pairsOf, type Upstream } from './upstream.ts'

export interface ProxyOptions {
  /** The address of the service. */
  readonly service: string
  readonly port: number
  /** The public address of the proxy, which replaces `callback_url`. */
  readonly publicUrl?: string | undefined
  /** Receives the callbacks that arrive at `/__callbacks` without a `callback_url` of their own. */
  readonly callbacks?: string | undefined
  /** The authority that signed the service's certificate, PEM. */
  readonly ca?: string | undefined
  readonly onEntry: (entry: HarEntry) => void
}

/** The path of callbacks. */
export const CALLBACKS = '/__callbacks'
/** Bytes of a body that are recorded. */
const KEPT = 1_048_576
/** `callback_url`s of requests whose callbacks may still arrive. */
const MOST_TARGETS = 100_000
/** Milliseconds that running exchanges may take after a stop. */
const GRACE = 1_000

const hopByHop =
  'connection keep-alive proxy-connection proxy-authorization te trailer transfer-encoding upgrade http2-settings'.split(
    ' ',
  )

/** The headers of a message that concern both ends, in their order and spelling. */
function endToEnd(pairs: Pairs): Pairs {
  const named = pairs
    .filter(({ name }) => name.toLowerCase() === 'connection')
    .flatMap(({ value }) => value.split(',').map((each) => each.trim().toLowerCase()))
  return pairs.filter(({ name }) => ![...hopByHop, ...named].includes(name.toLowerCase()))
}

/** The beginning of a body, and its length. */
class Body {
  readonly #chunks: Buffer[] = []
  #kept = 0
  length = 0

  add(chunk: Buffer): void {
    this.length += chunk.length
    if (this.#kept >= KEPT) return
    const part = chunk.subarray(0, KEPT - this.#kept)
    // A copy: the part would keep the memory of its whole chunk.
    this.#chunks.push(part.length < chunk.length ? Buffer.from(part) : part)
    this.#kept += part.length
  }

  /** Resolves to the decoded text, or a note why it is missing. */
  async content(headers: Pairs): Promise<{ mimeType: string; text?: string; comment?: string }> {
    const mimeType = headerIn(headers, 'content-type') ?? ''
    const encoding = (headerIn(headers, 'content-encoding') ?? 'identity').trim().toLowerCase()
    const cut = this.length > KEPT
    if (this.length === 0) return { mimeType }
    if (/multipart|octet-stream|image|pdf|zip|audio|video/.test(mimeType))
      return { mimeType, comment: `${this.length} bytes of ${mimeType} are not recorded` }
    if (cut && encoding !== 'identity')
      return { mimeType, comment: `${this.length} compressed bytes, more than ${KEPT}, are not recorded` }
    const plain = await decode(Buffer.concat(this.#chunks), encoding)
    if (!plain) return { mimeType, comment: `the body cannot be decoded from ${encoding}` }
    const comment = cut && { comment: `the first ${KEPT} of ${this.length} bytes` }
    return { mimeType, text: plain.toString('utf8'), ...comment }
  }
}

const decoders: Readonly<Record<string, unknown>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: brotliDecompress,
  deflate: inflate,
}

async function decode(bytes: Buffer, encoding: string): Promise<Buffer | undefined> {
  if (encoding === 'identity') return bytes
  if (!Object.hasOwn(decoders, encoding)) return undefined
  // Bounded: a few compressed bytes may contain gigabytes.
  const unpack = promisify(decoders[encoding] as typeof gunzip)
  return unpack(bytes, { maxOutputLength: 8 * KEPT }).catch(() => undefined)
}

/** Starts the proxy on 127.0.0.1. @throws {Error} If the port is in use. */
export async function startProxy(options: ProxyOptions) {
  const { service, callbacks, ca, onEntry } = options
  const base = service.replace(/\/$/, '')
  const prefix = new URL(service).pathname.replace(/\/$/, '')
  const origins = new Map<string, ReturnType<typeof createOrigin>>()
  /** Callback addresses of the shop, by the key in the address that the service got instead. */
  const targets = new Map<string, string>()
  const pending = new Set<Promise<void>>()
  const originOf = ({ origin }: URL) => {
    const found = origins.get(origin) ?? createOrigin(origin, ca)
    origins.set(origin, found)
    return found
  }
  const replaceCallbackUrls = (text: string) =>
    text.replace(/("callback_url"\s*:\s*)("(?:[^"\\]|\\[^])*")/g, (whole, name: string, value: string) => {
      const url = parsedJson(value)
      if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return whole
      const key = systemSecrets()
      targets.set(key, url)
      if (targets.size > MOST_TARGETS) targets.delete(targets.keys().next().value!)
      return `${name}${JSON.stringify(`${options.publicUrl!.replace(/\/$/, '')}${CALLBACKS}/${key}`)}`
    })

  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url!
    const isCallback = path.startsWith(CALLBACKS) && /^([/?]|$)/.test(path.slice(CALLBACKS.length))
    const url = isCallback ? (targets.get(path.slice(CALLBACKS.length + 1)) ?? callbacks) : base + path
    if (url === undefined)
      outgoing
        .writeHead(404, { 'content-type': 'text/plain' })
        .end(
          'This callback belongs to no request of this recording; pass --callbacks with the address of your receiver.\n',
        )
    else void exchange(incoming, outgoing, url, isCallback)
  }

  const exchange = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    url: string,
    isCallback: boolean,
  ) => {
    const started = systemWall()
    const began = systemMonotonic()
    const [sent, received] = [new Body(), new Body()]
    let upstream: Upstream | undefined
    let answered = began
    let error: string | undefined
    const rewrites =
      options.publicUrl !== undefined &&
      !isCallback &&
      /json/.test(incoming.headers['content-type'] ?? '') &&
      incoming.headers['content-encoding'] === undefined &&
      Number(incoming.headers['content-length'] ?? Infinity) <= KEPT
    const head = pairsOf(incoming.rawHeaders)
    try {
      const body = rewrites ? Buffer.from(replaceCallbackUrls(await readAll(incoming, sent))) : undefined
      const pairs = endToEnd(head).map(({ name, value }) => ({
        name,
        value: body && name.toLowerCase() === 'content-length' ? String(body.length) : value,
      }))
      const to = new URL(url)
      // A URL would normalize the path of the shop's request.
      const path = isCallback ? to.pathname + to.search : prefix + incoming.url!
      const { stream, response } = await originOf(to).send(incoming.method!, path, pairs)
      // A client that breaks off must not leave the service waiting.
      outgoing.on('close', () => outgoing.writableFinished || stream.destroy())
      if (body) stream.end(body)
      else incoming.on('data', (chunk: Buffer) => sent.add(chunk)).pipe(stream)
      upstream = await response
      answered = systemMonotonic()
      await pass(upstream, outgoing, received)
    } catch (caught) {
      error = (caught as NodeJS.ErrnoException).code ?? (caught as Error).message
      // The client sees what it would have seen at the service: a broken connection.
      outgoing.destroy()
    }
    const ended = systemMonotonic()
    const entry = async (): Promise<HarEntry> => {
      const headers = upstream?.headers ?? []
      const [post, content] = await Promise.all([sent.content(head), received.content(headers)])
      const round = (ms: number) => Math.round(ms * 1_000) / 1_000
      return {
        startedDateTime: new Date(started).toISOString(),
        time: round(ended - began),
        request: {
          method: incoming.method!,
          url,
          httpVersion: `HTTP/${incoming.httpVersion}`,
          cookies: [],
          headers: head,
          queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
          ...(sent.length > 0 && { postData: { text: '', ...post } }),
          headersSize: -1,
          bodySize: sent.length,
        },
        response: {
          status: upstream?.status ?? 0,
          statusText: upstream?.message ?? '',
          httpVersion: upstream?.version ?? '',
          cookies: [],
          headers,
          content: { size: received.length, ...content },
          redirectURL: headerIn(headers, 'location') ?? '',
          headersSize: -1,
          bodySize: received.length,
        },
        cache: {},
        timings: { send: 0, wait: round(answered - began), receive: round(Math.max(ended - answered, 0)) },
        ...(isCallback && { _callback: { transaction: referenceIn(parsedJson(post.text ?? '')) } }),
        ...(error !== undefined && { _error: error }),
      }
    }
    const work = entry()
      .then(onEntry)
      .finally(() => pending.delete(work))
    pending.add(work)
  }

  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 }, serve)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeIdleConnections()
      const stop = later(GRACE, () => server.closeAllConnections())
      await closed
      stop()
      for (const origin of origins.values()) origin.close()
      await Promise.all(pending)
    },
  }
}

async function readAll(incoming: IncomingMessage, kept: Body): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    kept.add(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Passes a response on as it arrives. @throws {Error} If it breaks off. */
function pass(upstream: Upstream, outgoing: ServerResponse, received: Body): Promise<void> {
  const { status, message, headers, body } = upstream
  outgoing.sendDate = false
  const raw = endToEnd(headers).flatMap(({ name, value }) => [name, value])
  if (message === undefined) outgoing.writeHead(status, raw)
  else outgoing.writeHead(status, message, raw)
  outgoing.flushHeaders()
  return new Promise((resolve, reject) => {
    const breaks = (why: string) => () => reject(new Error(why))
    body.on('data', (chunk: Buffer) => received.add(chunk))
    body.on('error', reject)
    body.on('aborted', breaks('the service broke off in the middle of the body'))
    body.on('end', resolve)
    body.on('close', breaks('the connection closed in the middle of the body'))
    outgoing.on('close', () => outgoing.writableFinished || breaks('the client broke off')())
    body.pipe(outgoing)
  })
}
