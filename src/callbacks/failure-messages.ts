/** Messages for failed callbacks: the cause and the remedy. */
import { isLoopback, urlOf } from '../lib/text/is-url.ts'

export interface FailureMessage {
  readonly error: string
  readonly advice: string
}

const REACH_YOUR_MACHINE =
  'in a container, localhost is the container: use host.docker.internal (host.testcontainers.internal with Testcontainers) in callback_url, or start the sandbox with SANDBOX_CALLBACK_REWRITE=localhost=host.docker.internal'

const NAME_A_RECEIVER = 'send a callback_url such as https://shop.example/callback'

/** By the code of an error and the reason of a TLS error. The first match counts; names in braces stand for the facts below. */
const failures: readonly (readonly [code: RegExp, error: string, advice: string, reason?: RegExp])[] = [
  [/^TARGET_REFUSED$/, '{message}', ''],
  [
    /^RECEIVER_THREW$/,
    'the receiver of {target} threw {message}',
    'fix the receiver: it must catch its exceptions',
  ],
  [
    /^LOST$/,
    'the connection was deliberately cut after the request was sent: the response is lost',
    'none: the callback is sent again, and the receiver must recognise it as a duplicate',
  ],
  [
    /^CUT_OFF$/,
    'the body was deliberately cut off half way',
    'none: a receiver must not act on a body that is shorter than its content-length',
  ],
  [/^ECONNREFUSED$/, 'connection refused: nothing listens at {target}', 'start the receiver{where}'],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'the name in {target} does not resolve',
    'correct the host in callback_url; a name that only your machine knows needs SANDBOX_CALLBACK_REWRITE=name=address',
  ],
  [
    /^DNS_TIMEOUT$/,
    'the name in {target} has no address yet: its name server did not respond in time',
    'check the name server of this host; callbacks to other hosts continue',
  ],
  [
    /^(ECONNRESET|EPIPE)$/,
    '{target} closed the connection without a response',
    'check the receiver: it crashed, refuses the connection, or uses another protocol',
  ],
  [
    /^(ETIMEDOUT|ABORT_ERR)$/,
    '{target} did not respond within the time limit',
    'respond with 2xx first and do the work afterwards; SANDBOX_CALLBACK_TIMEOUT (at most 30s) allows more time; a firewall that drops packets has the same effect',
  ],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, '{target} cannot be reached from here', 'check address, network and VPN'],
  [/^ERR_INVALID_URL$/, '"{url}" is not a URL', NAME_A_RECEIVER],
  [/^ERR_INVALID_PROTOCOL$/, '"{url}" must begin with http:// or https://', NAME_A_RECEIVER],
  [
    /^HPE_HEADER_OVERFLOW$/,
    '{target} responded with headers of more than 16 KiB',
    'send fewer or shorter headers; only the status is needed',
  ],
  [
    /^HPE_/,
    '{target} did not respond with HTTP/1.1 ({message})',
    'check the port in callback_url: another program listens there, a server that only supports HTTP/2, or one that writes invalid responses',
  ],
  [
    /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/,
    'the TLS certificate of {target} is not accepted: {message}',
    'use a certificate for this name from a public authority, start the sandbox with NODE_EXTRA_CA_CERTS=your-ca.pem, or use http:// for a receiver on your machine',
  ],
  [
    /^(EPROTO$|ERR_SSL)/,
    '{target} does not speak TLS',
    'use http:// in callback_url, or install a certificate at the receiver',
    /wrong version|packet length|unknown protocol|http request/i,
  ],
  [
    /^(EPROTO$|ERR_SSL)/,
    'TLS with {target} failed: {reason}',
    'the receiver needs a certificate and TLS 1.2 or newer; use http:// for a receiver on your machine',
  ],
  [/^/, '{target}: {message}', ''],
]

export function messageOfFailure(error: Error & { code?: string }, url: string): FailureMessage {
  const { code = '', message } = error
  const target = targetOf(url)
  const facts: { readonly [name: string]: string } = {
    url,
    target,
    message,
    // OpenSSL's message without error numbers and source files.
    reason: /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message,
    where: isLocal(url) ? `; ${REACH_YOUR_MACHINE}` : ` at ${target} or correct callback_url`,
  }
  const [, said, advice] = failures.find(
    ([codes, , , reasons]) => codes.test(code) && (reasons?.test(facts['reason']!) ?? true),
  )!
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => facts[name]!)
  return { error: filled(said), advice: filled(advice) }
}

/**
 * Returns the remedy for a status other than 2xx.
 * @param forgery - The fault of a callback that receivers must reject.
 */
export function adviceForStatus(
  status: number,
  headers: { readonly [name: string]: string },
  url: string,
  forgery?: string,
): string {
  if (forgery !== undefined && status >= 400)
    return status < 500
      ? `nothing: the callback is ${forgery} on purpose, and the receiver rejects it as it should`
      : `reject this callback with 401: it is ${forgery} on purpose, and the receiver fails instead; check its log`
  if (status >= 300 && status < 400) {
    const to = headers['location']
    return `redirects are not followed: ${to === undefined ? 'respond with 2xx at this address' : `set callback_url to ${to}`}`
  }
  if (status === 400 || status === 422)
    return 'the receiver rejects the body: some only accept the nested shape (SANDBOX_CALLBACK_SHAPE=nested)'
  if (status === 401 && isInbox(url))
    return 'the address of an inbox contains a key: use the url of GET /sandbox/inbox/{name} as callback_url'
  if (status === 401 || status === 403)
    return 'the receiver rejects the sender: compare its secret with GET /sandbox/signing-secret and check the callback with POST /sandbox/signatures/check; for one behind Basic authentication, a gateway or mutual TLS, set receiver_protection'
  if (status === 404 || status === 405)
    return 'the receiver has no POST route at this path: correct callback_url'
  if (status === 410)
    return 'the receiver responded that it is gone, so there are no retries: correct callback_url'
  if (status === 429 || status === 503)
    return 'the receiver is busy; its Retry-After is respected, up to 24 hours'
  return status >= 500
    ? 'the receiver failed: check its log, and the beginning of its response in GET /sandbox/callbacks/{id}'
    : 'the receiver rejects the callback: check the beginning of its response in GET /sandbox/callbacks/{id}'
}

const targetOf = (url: string) => urlOf(url)?.host ?? url

const isInbox = (url: string) => new URL(url).pathname.startsWith('/sandbox/inbox/')

const isLocal = (url: string) => isLoopback(urlOf(url)?.hostname ?? '')
