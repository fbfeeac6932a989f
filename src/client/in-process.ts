import { addressOf, type Fetch, type Send } from './transport.ts'

interface Parts {
  /** Handles a request; rejects if the sandbox sends no response. */
  readonly response: Send
  /** Returns the address of the sandbox; paths are relative to it. */
  readonly url: () => string
  /** Follows redirects that leave the sandbox. */
  readonly elsewhere: Send
}

/** Taken before a test replaces the timers. */
const nextTurn = setImmediate

/** The limit of `fetch`. */
const MAX_REDIRECTS = 20

/** Returns a standard `fetch` that needs no network and accepts paths; `refuse` rejects new requests, `end` all pending ones. */
export function inProcess({ response: answer, url, elsewhere }: Parts) {
  const pending = new Set<(why: Error) => void>()
  let closed = false
  const send = (request: Request) =>
    new Promise<Response>((resolve, reject) => {
      if (closed) return reject(closedError())
      const { signal } = request
      if (signal.aborted) return reject(signal.reason as Error)
      const abort = () => reject(signal.reason as Error)
      signal.addEventListener('abort', abort)
      pending.add(reject)
      void Promise.resolve(answer(request))
        .then(resolve, reject)
        .finally(() => {
          signal.removeEventListener('abort', abort)
          pending.delete(reject)
        })
    })
  return {
    async fetch(...[input, init]: Parameters<Fetch>): Promise<Response> {
      const base = url()
      let request = new Request(addressOf(input, base), init)
      for (let followed = 0; ; followed++) {
        const response = await send(request)
        const to = redirectTarget(response, request)
        if (!to || request.redirect === 'manual')
          return asFetchResponse(response, request, followed, init?.signal)
        if (request.redirect === 'error') throw new TypeError(`fetch failed: redirected to ${to.href}`)
        if (followed === MAX_REDIRECTS) throw new TypeError('fetch failed: too many redirects')
        const next = redirected(request, response.status, to)
        const inside = [new URL(request.url).origin, new URL(base).origin].includes(to.origin)
        if (!inside) return elsewhere(withoutCredentials(next))
        request = next
      }
    },
    refuse() {
      closed = true
    },
    /** Waits a turn for responses that are on their way. */
    async end() {
      await new Promise<void>((resolve) => nextTurn(resolve))
      for (const reject of pending) reject(closedError())
    },
  }
}

const closedError = () =>
  new TypeError('the sandbox is closed: after close() it answers nothing; make another with createSandbox()')

const REDIRECTS = [301, 302, 303, 307, 308]
const KEEP_METHOD = [307, 308]
const BODY_HEADERS = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
]

/** Returns the target of a redirect. */
function redirectTarget({ status, headers }: Response, { url }: Request): URL | undefined {
  const location = headers.get('location')
  if (location === null || !REDIRECTS.includes(status)) return undefined
  const to = new URL(location, url)
  if (to.hash === '') to.hash = new URL(url).hash
  return to
}

/** Returns the request that follows a redirect; a POST is followed by a GET, as in the Fetch standard. */
function redirected(request: Request, status: number, to: URL): Request {
  const { method, headers: sent, signal, body } = request
  if (KEEP_METHOD.includes(status) && body !== null)
    throw new TypeError(`fetch failed: redirected with ${status}, and the body was read already`)
  const keepsMethod = method === 'GET' || method === 'HEAD' || KEEP_METHOD.includes(status)
  const headers = new Headers(sent)
  if (!keepsMethod) for (const name of BODY_HEADERS) headers.delete(name)
  return new Request(to, keepsMethod ? request : { method: 'GET', headers, signal })
}

function withoutCredentials(request: Request): Request {
  for (const name of ['authorization', 'cookie', 'proxy-authorization']) request.headers.delete(name)
  return request
}

/** Adds what `fetch` sets on a response: its URL, whether it was redirected, and a stream that ends with the signal. */
function asFetchResponse(
  response: Response,
  { url }: Request,
  followed: number,
  signal: AbortSignal | null | undefined,
): Response {
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const ended =
    signal && streamed && response.body
      ? new Response(response.body.pipeThrough(new TransformStream(), { signal }), response)
      : response
  Object.defineProperties(ended, {
    url: { value: url.replace(/#.*$/, ''), configurable: true },
    redirected: { value: followed > 0, configurable: true },
  })
  return ended
}
