/** One delivery attempt: the rewritten address, the signature, the fault and the result. */
import { createHash } from 'node:crypto'
import { headersOfTrace } from '../lib/log/trace-context.ts'
import { LOOP_HEADER, LOOP_MARK } from '../service/domain/callbacks.ts'
import type { AttemptRow, CallbackRow, JobRow } from '../storage/store/payment-rows.ts'
import { adviceForStatus, messageOfFailure } from './failure-messages.ts'
import { applyRewrites, nobodyListens, onMachine, type Rewrite } from './rewrite.ts'
import type { Send } from './send.ts'
import { SIGNATURE_FAULTS, signed, type SignedCallback, type SigningRequest } from './signatures/faults.ts'
import type { SigningKeys } from './signatures/keys.ts'
import type { SignatureSettings } from './signatures/profiles/profiles.ts'
import { checkTarget, requireVerified, type TargetMode, type VerifiedTarget } from './target.ts'

/** The job of one attempt. */
export type CallbackJob = JobRow & { readonly task: { readonly kind: 'callback' } }

export interface AttemptContext {
  readonly world: string
  readonly signatures: readonly SignatureSettings[]
  readonly keys: SigningKeys
  /** Milliseconds. */
  readonly timeout: number
  /** The verified receivers of the world, or undefined if receivers need no verification. */
  readonly verified?: readonly VerifiedTarget[] | undefined
  /** The wall's time, milliseconds: signatures are dated by it. */
  readonly wall: number
  /** The number of failed attempts before this one. */
  readonly failed: number
  /** The index among copies that leave together. */
  readonly copy?: number
}

/** The targets that callbacks may reach, and the transport. */
export interface DeliveryRoute {
  readonly send: Send
  /** An inbox of the sandbox itself or a receiver in its process: no connection is made. */
  readonly staysInside: (url: string) => boolean
  readonly mode: TargetMode
  /** Whether receivers must be verified first. */
  readonly onlyVerified?: boolean
  /** That may be called. */
  readonly ports: readonly number[] | '*'
  readonly rewrites: readonly Rewrite[]
  /** Whether a callback to loopback that nothing takes in this container goes to the machine it runs on. */
  readonly tryMachine: boolean
}

/** The request and the answer of an attempt. */
export interface AttemptResult extends Pick<
  AttemptRow,
  | 'url'
  | 'request_headers'
  | 'request_body'
  | 'status'
  | 'answer_headers'
  | 'answer_body'
  | 'error'
  | 'advice'
> {
  /** It cannot end otherwise, whenever it is tried. */
  readonly hopeless: boolean
  /** The name of the error. */
  readonly code?: string | undefined
}

const CONTENT_TYPE = 'application/json'

/** The event's id: the same over all attempts, another one for every other callback. */
export function eventId(world: string, { id, created_at }: Pick<CallbackRow, 'id' | 'created_at'>): string {
  const digest = createHash('sha256').update(`${world} ${id} ${created_at}`).digest('hex')
  return `msg_${digest.slice(0, 24)}`
}

/** Makes an attempt; undefined when the sandbox was closed meanwhile. Never throws for the receiver. */
export async function attempt(
  route: DeliveryRoute,
  callback: CallbackRow,
  sending: AttemptContext,
): Promise<AttemptResult | undefined> {
  const { staysInside, mode, ports, rewrites, tryMachine } = route
  const url = applyRewrites(callback.url, rewrites)
  try {
    if (!staysInside(url)) {
      checkTarget(url, mode, ports)
      if (sending.verified) requireVerified(url, sending.verified, sending.wall)
    }
  } catch (error) {
    const refused = { url, request_headers: {}, request_body: null, status: null }
    const words = messageOfFailure(error as Error, url)
    return { ...refused, answer_headers: {}, answer_body: '', ...words, hopeless: true }
  }
  const made = await call(route.send, callback, url, sending)
  const other = tryMachine && made?.code === 'ECONNREFUSED' ? onMachine(url) : undefined
  if (other === undefined) return made
  const there = await call(route.send, callback, other, sending)
  if (there?.code === 'ENOTFOUND' || there?.code === 'EAI_AGAIN')
    return { ...made!, ...nobodyListens(url, false) }
  return there?.code === 'ECONNREFUSED' ? { ...there, ...nobodyListens(url, true) } : there
}

/** Sends it to an address that may be called. */
async function call(
  send: Send,
  callback: CallbackRow,
  url: string,
  sending: AttemptContext,
): Promise<AttemptResult | undefined> {
  const { method = 'POST', content_type = CONTENT_TYPE } = callback
  const out = signedCallback(callback, url, sending)
  const body = out.body.toString('utf8')
  const headers = {
    host: new URL(url).host,
    'content-type': content_type,
    'content-length': String(out.body.length),
    'user-agent': 'payments-sandbox',
    [LOOP_HEADER]: LOOP_MARK,
    ...traceHeaders(callback, sending),
    ...out.headers,
  }
  const slow = callback.fault === 'slow'
  // Lost once; what is sent again arrives.
  const loseAnswer = callback.fault === 'lost-response' && sending.failed === 0
  const { world, timeout } = sending
  const { cutAt } = out
  const outcome = await send({ world, url, method, body, headers, timeout, cutAt, slow, loseAnswer })
  return (
    outcome && {
      url,
      request_headers: headers,
      request_body: withoutPadding(body) === callback.body ? null : withoutPadding(body),
      status: outcome.status,
      answer_headers: outcome.headers ?? {},
      answer_body: outcome.body ?? '',
      error: outcome.error,
      advice:
        outcome.advice ??
        (outcome.status === null ? '' : adviceForStatus(outcome.status, outcome.headers ?? {}, url)),
      hopeless: false,
      code: outcome.code,
    }
  )
}

/** The trace that the callback belongs to; each attempt is a span of its own. */
function traceHeaders(callback: CallbackRow, { world, wall, failed, copy = 0 }: AttemptContext) {
  const { trace } = callback
  return trace && headersOfTrace(trace, `${eventId(world, callback)} ${wall} ${failed} ${copy}`)
}

/** Names of headers in upper case, which HTTP takes for the same. */
function withUpperCase(sent: SignedCallback): SignedCallback {
  const headers = Object.entries(sent.headers).map(([name, value]) => [name.toUpperCase(), value])
  return { ...sent, headers: Object.fromEntries(headers) as SignedCallback['headers'] }
}

/** The body as it is sent, with its padding; empty with the methods that have no body. */
function bodyOf({ body, method, padding = 0 }: CallbackRow): string {
  return method === 'GET' || method === 'HEAD' ? '' : body + ' '.repeat(padding)
}

/** The body for the record, without the padding that a scenario may add. */
const withoutPadding = (body: string) => body.trimEnd()

function signedCallback(
  callback: CallbackRow,
  url: string,
  { world, signatures, keys, wall }: AttemptContext,
): SignedCallback {
  const signing: SigningRequest = {
    request: {
      id: eventId(world, callback),
      timestampSeconds: Math.floor(wall / 1000),
      method: callback.method ?? 'POST',
      url,
      body: bodyOf(callback),
      contentType: callback.content_type ?? CONTENT_TYPE,
    },
    signatures,
    keys,
  }
  const { fault } = callback
  if (fault === 'upper-case-headers') return withUpperCase(signed(signing))
  return fault === null || fault === 'slow' || fault === 'lost-response'
    ? signed(signing)
    : SIGNATURE_FAULTS[fault](signing)
}
