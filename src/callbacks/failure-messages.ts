/** Messages for failed callbacks: the cause and the remedy. */
import { isLoopback, urlOf } from '../lib/text/is-url.ts'

export interface FailureMessage {
  readonly error: string
  readonly advice: string
}

const REACH_YOUR_MACHINE =
  'in a container, localhost is the container: use host.docker.internal (host.testcontainers.internal with Testcontainers) in callback_url, or start the sandbox with SANDBOX_CALLBACK_REWRITE=localhost=host.docker.internal'

export function messageOfFailure(error: Error & { code?: string }, url: string): FailureMessage {
  const target = targetOf(url)
  if (error.code?.startsWith('HPE_')) return noHttp(target, error)
  switch (error.code) {
    case 'TARGET_REFUSED':
      return { error: error.message, advice: '' }
    case 'RECEIVER_THREW':
      return {
        error: `the receiver of ${target} threw ${error.message}`,
        advice: 'fix the receiver: it must catch its exceptions',
      }
    case 'LOST':
      return {
        error: 'the connection was deliberately cut after the request was sent: the response is lost',
        advice: 'none: the callback is sent again, and the receiver must recognise it as a duplicate',
      }
    case 'CUT_OFF':
      return {
        error: 'the body was deliberately cut off half way',
        advice: 'none: a receiver must not act on a body that is shorter than its content-length',
      }
    case 'ECONNREFUSED':
      return {
        error: `connection refused: nothing listens at ${target}`,
        advice: isLocal(url)
          ? `start the receiver; ${REACH_YOUR_MACHINE}`
          : `start the receiver at ${target} or correct callback_url`,
      }
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        error: `the name in ${target} does not resolve`,
        advice:
          'correct the host in callback_url; a name that only your machine knows needs SANDBOX_CALLBACK_REWRITE=name=address',
      }
    case 'DNS_TIMEOUT':
      return {
        error: `the name in ${target} has no address yet: its name server did not respond in time`,
        advice: 'check the name server of this host; callbacks to other hosts continue',
      }
    case 'ECONNRESET':
    case 'EPIPE':
      return {
        error: `${target} closed the connection without a response`,
        advice: 'check the receiver: it crashed, refuses the connection, or uses another protocol',
      }
    case 'ETIMEDOUT':
    case 'ABORT_ERR':
      return {
        error: `${target} did not respond within the time limit`,
        advice:
          'respond with 2xx first and do the work afterwards; SANDBOX_CALLBACK_TIMEOUT (at most 30s) allows more time; a firewall that drops packets has the same effect',
      }
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { error: `${target} cannot be reached from here`, advice: 'check address, network and VPN' }
    case 'ERR_INVALID_URL':
      return {
        error: `"${url}" is not a URL`,
        advice: 'send a callback_url such as https://shop.example/callback',
      }
    case 'ERR_INVALID_PROTOCOL':
      return {
        error: `"${url}" must begin with http:// or https://`,
        advice: 'send a callback_url such as https://shop.example/callback',
      }
    default:
      return isCertificate(error)
        ? {
            error: `the TLS certificate of ${target} is not accepted: ${error.message}`,
            advice:
              'use a certificate for this name from a public authority, start the sandbox with NODE_EXTRA_CA_CERTS=your-ca.pem, or use http:// for a receiver on your machine',
          }
        : tlsReason(error) === undefined
          ? { error: `${target}: ${error.message}`, advice: '' }
          : tlsFailed(target, tlsReason(error)!)
  }
}

/** Errors of the HTTP parser. */
function noHttp(target: string, { code, message }: Error & { code?: string }): FailureMessage {
  return code === 'HPE_HEADER_OVERFLOW'
    ? {
        error: `${target} responded with headers of more than 16 KiB`,
        advice: 'send fewer or shorter headers; only the status is needed',
      }
    : {
        error: `${target} did not respond with HTTP/1.1 (${message})`,
        advice:
          'check the port in callback_url: another program listens there, a server that only supports HTTP/2, or one that writes invalid responses',
      }
}

function tlsFailed(target: string, reason: string): FailureMessage {
  return /wrong version|packet length|unknown protocol|http request/i.test(reason)
    ? {
        error: `${target} does not speak TLS`,
        advice: 'use http:// in callback_url, or install a certificate at the receiver',
      }
    : {
        error: `TLS with ${target} failed: ${reason}`,
        advice:
          'the receiver needs a certificate and TLS 1.2 or newer; use http:// for a receiver on your machine',
      }
}

/** Returns the message of OpenSSL without error numbers and source files. */
function tlsReason({ code = '', message }: Error & { code?: string }): string | undefined {
  if (code !== 'EPROTO' && !code.startsWith('ERR_SSL')) return undefined
  return /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message
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

const isCertificate = ({ code = '' }: { code?: string }) =>
  /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)

const targetOf = (url: string) => urlOf(url)?.host ?? url

const isInbox = (url: string) => new URL(url).pathname.startsWith('/sandbox/inbox/')

const isLocal = (url: string) => isLoopback(urlOf(url)?.hostname ?? '')
