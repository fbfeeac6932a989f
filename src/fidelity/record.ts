/** The recording proxy: passes every request to the service and every callback to the shop unchanged. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { systemMonotonic } from '../lib/clock/steady.ts'
import { later, systemWall } from '../lib/clock/clock.ts'
import { isRecord } from '../lib/objects.ts'
import { systemSecrets } from '../lib/random/random.ts'
import { type HarEntry, jsonIn } from './har.ts'
import { Origin, type Pairs, pairsOf, type Upstream } from './upstream.ts'

export interface RecordOptions {
  readonly service: string
  readonly port: number
  /** The public address of this proxy, which replaces `callback_url`. */
  readonly publicUrl?: string | undefined
  /** Receives the callbacks that arrive at `CALLBACKS` without a `callback_url` of their own. */
  readonly callbacks?: string | undefined
  /** PEM of the authority that signed the service's certificate. */
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

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]

/** The headers of a message that concern both ends, in their order and spelling. */
function endToEnd(pairs: Pairs): Pairs {
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase()))
  return pairs.filter(([name]) => ![...hopByHop, ...named].includes(name.toLowerCase()))
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
  async text(type: string, encoding = ''): Promise<{ text?: string; comment?: string }> {
    const bytes = Buffer.concat(this.#chunks)
    const cut = this.length > KEPT
    if (/multipart|octet-stream|image|pdf|zip|audio|video/.test(type))
      return { comment: `${this.length} bytes of ${type} are not recorded` }
    if (cut && encoding !== '' && encoding !== 'identity')
      return { comment: `${this.length} compressed bytes, more than ${KEPT}, are not recorded` }
    const plain = await decode(bytes, encoding)
    if (plain === undefined) return { comment: `the body cannot be decoded from ${encoding}` }
    return {
      text: plain.toString('utf8'),
      ...(cut && { comment: `the first ${KEPT} of ${this.length} bytes` }),
    }
  }
}

const decoders = { gzip: gunzip, 'x-gzip': gunzip, br: brotliDecompress, deflate: inflate } as const

function decode(bytes: Buffer, encoding: string): Promise<Buffer | undefined> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity' || bytes.length === 0) return Promise.resolve(bytes)
  if (!(name in decoders)) return Promise.resolve(undefined)
  // Bounded: a few compressed bytes may contain gigabytes.
  return promisify(decoders[name as keyof typeof decoders] as typeof gunzip)(bytes, {
    maxOutputLength: 8 * KEPT,
  }).catch(() => undefined)
}

export type RecordingProxy = Awaited<ReturnType<typeof startRecording>>

/** Starts the proxy on 127.0.0.1. @throws {Error} If the port is in use. */
export async function startRecording(options: RecordOptions) {
  const { service, publicUrl, callbacks, ca, onEntry } = options
  const base = new URL(service)
  const prefix = base.pathname.replace(/\/$/, '')
  const origins = new Map<string, Origin>()
  const originOf = (url: string) => {
    const { origin } = new URL(url)
    const found = origins.get(origin) ?? new Origin(origin, ca)
    origins.set(origin, found)
    return found
  }
  /** Callback addresses of the shop, by the key in the address that the service got instead. */
  const targets = new Map<string, string>()
  const pending = new Set<Promise<void>>()

  const replaceCallbackUrls = (text: string) =>
    text.replace(/("callback_url"\s*:\s*)("(?:[^"\\]|\\[^])*")/g, (whole, name: string, value: string) => {
      const url = jsonIn(value)
      if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return whole
      const key = systemSecrets()
      targets.set(key, url)
      if (targets.size > MOST_TARGETS) targets.delete(targets.keys().next().value!)
      return `${name}${JSON.stringify(`${publicUrl!.replace(/\/$/, '')}${CALLBACKS}/${key}`)}`
    })

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url!
    const isCallback =
      path === CALLBACKS || path.startsWith(`${CALLBACKS}/`) || path.startsWith(`${CALLBACKS}?`)
    const target = isCallback ? (targets.get(path.slice(CALLBACKS.length + 1)) ?? callbacks) : undefined
    if (isCallback && target === undefined) {
      outgoing.writeHead(404, { 'content-type': 'text/plain' })
      outgoing.end(
        'This callback belongs to no request of this recording; pass --callbacks with the address of your receiver.\n',
      )
      return
    }
    const url = target ?? `${base.origin}${prefix}${path}`
    const { pathname, search } = new URL(url)
    const to = target === undefined ? prefix + path : pathname + search
    await exchange(incoming, outgoing, { url, path: to, isCallback })
  }

  const exchange = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { url, path, isCallback }: { url: string; path: string; isCallback: boolean },
  ) => {
    const started = systemWall()
    const began = systemMonotonic()
    const sent = new Body()
    const received = new Body()
    let upstream: Upstream | undefined
    let answered = began
    let error: string | undefined
    const rewrites =
      publicUrl !== undefined &&
      !isCallback &&
      /json/.test(incoming.headers['content-type'] ?? '') &&
      incoming.headers['content-encoding'] === undefined &&
      Number(incoming.headers['content-length'] ?? Infinity) <= KEPT
    let pairs = endToEnd(pairsOf(incoming.rawHeaders))
    try {
      const replaced = rewrites ? await readAll(incoming, sent) : undefined
      const body = replaced && Buffer.from(replaceCallbackUrls(replaced.toString('utf8')))
      if (body)
        pairs = pairs.map(([name, value]) =>
          name.toLowerCase() === 'content-length' ? [name, String(body.length)] : [name, value],
        )
      const { stream, response } = await originOf(url).send(incoming.method!, path, pairs)
      // A client that breaks off must not leave the service waiting.
      outgoing.on('close', () => outgoing.writableFinished || stream.destroy())
      if (body) stream.end(body)
      else {
        incoming.on('data', (chunk: Buffer) => sent.add(chunk))
        incoming.pipe(stream)
      }
      upstream = await response
      answered = systemMonotonic()
      await pass(upstream, outgoing, received)
    } catch (caught) {
      error = (caught as NodeJS.ErrnoException).code ?? (caught as Error).message
      // The client sees what it would have seen at the service: a broken connection.
      outgoing.destroy()
    }
    const ended = systemMonotonic()
    const work = entryOf({
      incoming,
      url,
      isCallback,
      started,
      upstream,
      sent,
      received,
      error,
      times: [began, answered, ended],
    })
      .then(onEntry)
      .finally(() => pending.delete(work))
    pending.add(work)
  }

  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 }, (incoming, outgoing) => {
    void serve(incoming, outgoing)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
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

async function readAll(incoming: IncomingMessage, kept: Body): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    kept.add(chunk)
  }
  return Buffer.concat(chunks)
}

/** Passes a response on as it arrives. @throws {Error} If it breaks off. */
function pass(upstream: Upstream, outgoing: ServerResponse, received: Body): Promise<void> {
  const { status, message, headers, body } = upstream
  const raw = endToEnd(headers).flat()
  outgoing.sendDate = false
  if (message === undefined) outgoing.writeHead(status, raw)
  else outgoing.writeHead(status, message, raw)
  outgoing.flushHeaders()
  return new Promise((resolve, reject) => {
    const stream = body as IncomingMessage
    stream.on('data', (chunk: Buffer) => received.add(chunk))
    stream.on('error', reject)
    stream.on('aborted', () => reject(new Error('the service broke off in the middle of the body')))
    stream.on('end', resolve)
    stream.on('close', () => reject(new Error('the connection closed in the middle of the body')))
    outgoing.on('close', () => outgoing.writableFinished || reject(new Error('the client broke off')))
    stream.pipe(outgoing)
  })
}

interface Exchanged {
  readonly incoming: IncomingMessage
  readonly url: string
  readonly isCallback: boolean
  readonly started: number
  readonly upstream: Upstream | undefined
  readonly sent: Body
  readonly received: Body
  readonly error: string | undefined
  /** Start, head of the response, end; milliseconds. */
  readonly times: readonly [number, number, number]
}

const fieldsOf = (pairs: Pairs) => pairs.map(([name, value]) => ({ name, value }))
const valueOf = (pairs: Pairs, wanted: string) => pairs.find(([name]) => name.toLowerCase() === wanted)?.[1]

async function entryOf(exchanged: Exchanged): Promise<HarEntry> {
  const { incoming, url, isCallback, started, upstream, sent, received, error, times } = exchanged
  const [began, answered, ended] = times
  const head = pairsOf(incoming.rawHeaders)
  const type = incoming.headers['content-type'] ?? ''
  const post = sent.length > 0 ? await sent.text(type, incoming.headers['content-encoding']) : undefined
  const headers = upstream?.headers ?? []
  const answerType = valueOf(headers, 'content-type') ?? ''
  const content =
    received.length > 0 ? await received.text(answerType, valueOf(headers, 'content-encoding')) : {}
  const body = jsonIn(post?.text)
  const transaction = isCallback && isRecord(body) ? transactionOf(body) : undefined
  const round = (ms: number) => Math.round(ms * 1_000) / 1_000
  return {
    startedDateTime: new Date(started).toISOString(),
    time: round(ended - began),
    request: {
      method: incoming.method!,
      url,
      httpVersion: `HTTP/${incoming.httpVersion}`,
      cookies: [],
      headers: fieldsOf(head),
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      ...(post && {
        postData: { mimeType: type, text: post.text ?? '', ...(post.comment && { comment: post.comment }) },
      }),
      headersSize: -1,
      bodySize: sent.length,
    },
    response: {
      status: upstream?.status ?? 0,
      statusText: upstream?.message ?? '',
      httpVersion: upstream?.version ?? '',
      cookies: [],
      headers: fieldsOf(headers),
      content: { size: received.length, mimeType: answerType, ...content },
      redirectURL: valueOf(headers, 'location') ?? '',
      headersSize: -1,
      bodySize: received.length,
    },
    cache: {},
    timings: { send: 0, wait: round(answered - began), receive: round(Math.max(ended - answered, 0)) },
    ...(isCallback && { _callback: transaction === undefined ? {} : { transaction } }),
    ...(error !== undefined && { _error: error }),
  }
}

/** Returns the identifier of the transaction in a callback of either shape. */
function transactionOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const inner = isRecord(body['response']) ? body['response'] : {}
  const found =
    body['reference'] ?? inner['TransactionID'] ?? inner['CheckoutRequestID'] ?? body['merchant_reference']
  return typeof found === 'string' ? found : undefined
}
