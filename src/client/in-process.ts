import { addressOf, type Fetch, type Send } from './transport.ts'

interface Parts {
  /** Answers a request; rejects if the sandbox sends no response. */
  readonly answer: Send
  /** Returns the address of the sandbox; paths are relative to it. */
  readonly url: () => string
  /** For redirects that lead out of the sandbox. */
  readonly elsewhere: Send
}

/** The limit of `fetch`. */
const MOST_REDIRECTS = 20

/** Returns a standard `fetch` that needs no network and takes paths too; `refuse` rejects new requests, `end` all pending ones. */
export function inProcess({ answer, url, elsewhere }: Parts) {
  const underWay = new Set<(why: Error) => void>()
  let closed = false
  const send = (request: Request) =>
    new Promise<Response>((resolve, reject) => {
      if (closed) return reject(closedError())
      const { signal } = request
      if (signal.aborted) return reject(signal.reason as Error)
      const abort = () => reject(signal.reason as Error)
      signal.addEventListener('abort', abort)
      underWay.add(reject)
      void Promise.resolve(answer(request))
        .then(resolve, reject)
        .finally(() => {
          signal.removeEventListener('abort', abort)
          underWay.delete(reject)
        })
    })
  return {
    async fetch(...[input, init]: Parameters<Fetch>): Promise<Response> {
      const base = url()
      let request = new Request(addressOf(input, base), init)
      for (let followed = 0; ; followed++) {
        const answered = await send(request)
        const to = placeOf(answered, request)
        if (!to || request.redirect === 'manual') return finished(answered, request, followed, init?.signal)
        if (request.redirect === 'error') throw new TypeError(`fetch failed: redirected to ${to.href}`)
        if (followed === MOST_REDIRECTS) throw new TypeError('fetch failed: too many redirects')
        const next = redirected(request, answered.status, to)
        const inside = [new URL(request.url).origin, new URL(base).origin].includes(to.origin)
        if (!inside) return elsewhere(withoutCredentials(next))
        request = next
      }
    },
    refuse() {
      closed = true
    },
    end() {
      for (const reject of underWay) reject(closedError())
    },
  }
}

const closedError = () =>
  new TypeError('the sandbox is closed: after close() it answers nothing; make another with createSandbox()')

const REDIRECTS = [301, 302, 303, 307, 308]
const KEEPING = [307, 308]
const OF_THE_BODY = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
]

/** Where a redirect leads. */
function placeOf({ status, headers }: Response, { url }: Request): URL | undefined {
  const location = headers.get('location')
  if (location === null || !REDIRECTS.includes(status)) return undefined
  const to = new URL(location, url)
  if (to.hash === '') to.hash = new URL(url).hash
  return to
}

/** The request that a redirect asks for: a form that was sent is followed by a look, as the standard has it. */
function redirected(request: Request, status: number, to: URL): Request {
  const { method, headers: sent, signal, body } = request
  if (KEEPING.includes(status) && body !== null)
    throw new TypeError(`fetch failed: redirected with ${status}, and the body was read already`)
  const looks = method === 'GET' || method === 'HEAD' || KEEPING.includes(status)
  const headers = new Headers(sent)
  if (!looks) for (const name of OF_THE_BODY) headers.delete(name)
  return new Request(to, looks ? request : { method: 'GET', headers, signal })
}

/** The next request goes to another server. */
function withoutCredentials(request: Request): Request {
  for (const name of ['authorization', 'cookie', 'proxy-authorization']) request.headers.delete(name)
  return request
}

/** The answer as `fetch` gives it: where it is from, and ended by its signal. */
function finished(
  answer: Response,
  { url }: Request,
  followed: number,
  signal: AbortSignal | null | undefined,
): Response {
  const streamed = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const ended =
    signal && streamed && answer.body
      ? new Response(answer.body.pipeThrough(new TransformStream(), { signal }), answer)
      : answer
  Object.defineProperties(ended, {
    url: { value: url.replace(/#.*$/, ''), configurable: true },
    redirected: { value: followed > 0, configurable: true },
  })
  return ended
}
