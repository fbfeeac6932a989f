/** One delivery attempt: the rewritten address, the signature, the fault and the result. */
import { createHash } from 'node:crypto'
import { urlOf } from '../lib/text/is-url.ts'
import { headersOfTrace } from '../lib/text/headers.ts'
import { LOOP_HEADER, LOOP_MARK } from '../service/domain/callbacks.ts'
import { changedHeaders, type HeaderChange } from '../service/vocabulary/observed.ts'
import type { AttemptRow, CallbackRow, JobRow } from '../storage/store/payment-rows.ts'
import { adviceForStatus, messageOfFailure } from './failure-messages.ts'
import {
  applyRewrites,
  checkTarget,
  connectionRefused,
  onContainerHost,
  requireVerified,
  type Rewrite,
  type TargetMode,
  type VerifiedTarget,
} from './target.ts'
import type { Send } from './send.ts'
import {
  type SignatureSettings,
  signed,
  type SignedCallback,
  type SigningRequest,
  headersOf,
} from './signatures/profiles/profiles.ts'
import { type SigningKeys, deriveSecret, signingKeys } from './signatures/secrets.ts'
import { isRecord } from '../lib/objects.ts'
import { redacted } from '../lib/log/redact.ts'
import {
  protectionFor,
  protectionSecrets,
  type ReceiverProtection,
} from '../service/vocabulary/receiver-protection.ts'

/** The job of one attempt. */
export type CallbackJob = JobRow & { readonly task: { readonly kind: 'callback' } }

interface AttemptContext {
  readonly world: string
  readonly signatures: readonly SignatureSettings[]
  readonly keys: SigningKeys
  /** Milliseconds. */
  readonly timeout: number
  /** The verified receivers of the world, or undefined if receivers need no verification. */
  readonly verified?: readonly VerifiedTarget[] | undefined
  /** Real time in milliseconds, for timestamps of signatures. */
  readonly wall: number
  /** The number of failed attempts before this one. */
  readonly failed: number
  /** The index among copies that are sent together. */
  readonly copy?: number
  /** What a protected receiver demands. */
  readonly protection?: ReceiverProtection | undefined
  /** How the service's headers were observed to differ. */
  readonly observed?: HeaderChange | undefined
}

/** The targets that callbacks may reach, and the transport. */
export interface DeliveryRoute {
  readonly send: Send
  /** Whether an address belongs to an inbox or to a receiver in this process, which need no connection. */
  readonly staysInside: (url: string) => boolean
  readonly mode: TargetMode
  /** Whether receivers must be verified first. */
  readonly onlyVerified?: boolean
  /** The allowed ports. */
  readonly ports: readonly number[] | '*'
  readonly rewrites: readonly Rewrite[]
  /** Whether to try the container's host when a connection to loopback is refused. */
  readonly tryMachine: boolean
}

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
  /** Whether retries are pointless. */
  readonly hopeless: boolean
  /** The code of the error. */
  readonly code?: string | undefined
}

const CONTENT_TYPE = 'application/json'

/** Returns the event's id, which is the same for all attempts of a callback. */
export function eventId(world: string, { id, created_at }: Pick<CallbackRow, 'id' | 'created_at'>): string {
  const digest = createHash('sha256').update(`${world} ${id} ${created_at}`).digest('hex')
  return `msg_${digest.slice(0, 24)}`
}

export const isDelivered = ({ status }: { readonly status: number | null }) =>
  status !== null && status >= 200 && status < 300

/** Makes an attempt, and never throws because of the receiver. Resolves to undefined if the sandbox was closed meanwhile. */
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
  const hostUrl = tryMachine && made?.code === 'ECONNREFUSED' ? onContainerHost(url) : undefined
  if (hostUrl === undefined) return made
  const onHost = await call(route.send, callback, hostUrl, sending)
  if (onHost?.code === 'ENOTFOUND' || onHost?.code === 'EAI_AGAIN')
    return { ...made!, ...connectionRefused(url, false) }
  return onHost?.code === 'ECONNREFUSED' ? { ...onHost, ...connectionRefused(url, true) } : onHost
}

async function call(
  send: Send,
  callback: CallbackRow,
  url: string,
  sending: AttemptContext,
): Promise<AttemptResult | undefined> {
  const { method = 'POST', content_type = CONTENT_TYPE } = callback
  const out = signedCallback(callback, url, sending)
  const body = out.body.toString('utf8')
  const own = {
    host: urlOf(url)!.host,
    'content-type': content_type,
    'content-length': String(out.body.length),
    'user-agent': 'payments-sandbox',
    [LOOP_HEADER]: LOOP_MARK,
    ...traceHeaders(callback, sending),
    ...out.headers,
  }
  const signed = sending.observed
    ? changedHeaders(sending.observed, own, `${sending.wall} ${callback.id} ${sending.failed}`)
    : own
  // For the address as the shop knows it, before it is rewritten.
  const protection = protectionFor(sending.protection, callback.url)
  const headers = { ...protection?.headers, ...signed }
  const forgery = FORGERIES.find((each) => each === callback.fault) ?? undefined
  const slow = callback.fault === 'slow'
  // Only the first attempt: retries arrive.
  const loseAnswer = callback.fault === 'lost-response' && sending.failed === 0
  const { world, timeout } = sending
  // A receiver may echo its request.
  const secrets = protection ? protectionSecrets(sending.protection) : []
  const shown = (text: string) => secrets.reduce((clean, each) => clean.replaceAll(each, redacted), text)
  const { cutAt } = out
  const outcome = await send({
    world,
    url,
    method,
    body,
    headers,
    timeout,
    cutAt,
    slow,
    loseAnswer,
    tls: protection?.tls,
  })
  return (
    outcome && {
      url,
      request_headers: { ...signed, ...protection?.hidden },
      request_body: withoutPadding(body) === callback.body ? null : withoutPadding(body),
      status: outcome.status,
      answer_headers: Object.fromEntries(
        Object.entries(outcome.headers ?? {}).map(([name, value]) => [name, shown(value)]),
      ),
      answer_body: shown(outcome.body ?? ''),
      error: outcome.error,
      advice:
        outcome.advice ??
        (outcome.status === null || isDelivered(outcome)
          ? ''
          : adviceForStatus(outcome.status, outcome.headers ?? {}, url, forgery)),
      hopeless: false,
      code: outcome.code,
    }
  )
}

/** Returns the headers of the callback's trace. Each attempt is a span. */
function traceHeaders(callback: CallbackRow, { world, wall, failed, copy = 0 }: AttemptContext) {
  const { trace } = callback
  return trace && headersOfTrace(trace, `${eventId(world, callback)} ${wall} ${failed} ${copy}`)
}

/** Faults that a receiver must reject. */
const FORGERIES: readonly (CallbackRow['fault'] | undefined)[] = [
  'tampered',
  'wrong-secret',
  'stale',
  'future',
  'unsigned',
  'malformed-signature',
  'truncated-body',
]

/** Header names are case-insensitive, so receivers must accept these. */
function withUpperCase(sent: SignedCallback): SignedCallback {
  const headers = Object.entries(sent.headers).map(([name, value]) => [name.toUpperCase(), value])
  return { ...sent, headers: Object.fromEntries(headers) as SignedCallback['headers'] }
}

function bodyOf({ body, method, padding = 0 }: CallbackRow): string {
  return method === 'GET' || method === 'HEAD' ? '' : body + ' '.repeat(padding)
}

/** Removes the padding that a scenario may add. */
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

/** Seconds. Verifiers accept 300 either way. A future timestamp comes closer in transit, so its margin is larger. */
const STALE_BY = 301
const FUTURE_BY = 600

/** By the names in scenario files and `Prefer: callback=`. */
export const SIGNATURE_FAULTS = {
  /** Changes the body after signing. JSON stays valid, so that only the signature reveals it. */
  tampered(signing) {
    const good = signed(signing)
    return { ...good, body: tamper(good.body) }
  },
  'wrong-secret': ({ keys, ...rest }) =>
    signed({ ...rest, keys: signingKeys([deriveSecret(keys.newest, 'nobody')]) }),
  stale: (signing) => signed(movedBy(-STALE_BY, signing)),
  future: (signing) => signed(movedBy(FUTURE_BY, signing)),
  unsigned: (signing) => ({ ...signed(signing), headers: {} }),
  /** Cuts every signature to half its length: receivers that compare in constant time must not fail on that. */
  'malformed-signature'(signing) {
    const good = signed(signing)
    const headers = { ...good.headers }
    for (const settings of signing.signatures) {
      const [name] = headersOf(settings)
      if (name !== undefined) headers[name] = halve(headers[name] ?? '')
    }
    return { ...good, headers }
  },
  /** Sends half of the body with the `content-length` of the whole. */
  'truncated-body'(signing) {
    const good = signed(signing)
    return { ...good, cutAt: Math.floor(good.body.length / 2) }
  },
  /** Signs the same JSON in another form: reordered fields, escaped text, numbers with an exponent. Receivers must accept it. */
  reformatted: ({ request, ...rest }) =>
    signed({ request: { ...request, body: otherForm(request.body) }, ...rest }),
  /** Puts a signature by another secret before the valid one, as during a rotation. Receivers must accept it. */
  'second-signature'({ keys, ...rest }) {
    const other = deriveSecret(keys.newest, 'nobody')
    return signed({ ...rest, keys: { ...signingKeys([keys.newest]), secrets: [other, keys.newest] } })
  },
} as const satisfies Record<string, (signing: SigningRequest) => SignedCallback>

function movedBy(seconds: number, { request, ...rest }: SigningRequest): SigningRequest {
  return { ...rest, request: { ...request, timestampSeconds: request.timestampSeconds + seconds } }
}

/** Increases the amount; without one adds a field, or else a byte. */
function tamper(body: Buffer): Buffer {
  const text = body.toString('utf8')
  const dearer = text.replace(/"amount"\s*:\s*(?=\d)/i, (field) => `${field}9`)
  if (dearer !== text) return Buffer.from(dearer, 'utf8')
  if (/^\s*\{\s*"/.test(text)) return Buffer.from(text.replace('{', '{"tampered":true,'), 'utf8')
  return Buffer.concat([body, Buffer.from('!')])
}

/** Leaves other texts than JSON unchanged. */
function otherForm(body: string | Buffer): string {
  const text = body.toString()
  try {
    return written(JSON.parse(text))
  } catch {
    return text
  }
}

/** Unusual JSON that every parser accepts. */
function written(value: unknown): string {
  if (typeof value === 'number') return value.toExponential()
  if (typeof value === 'string') return escaped(value)
  if (Array.isArray(value)) return `[ ${value.map(written).join(' , ')} ]`
  if (!isRecord(value)) return JSON.stringify(value)
  const fields = Object.entries(value).toReversed()
  return `{ ${fields.map(([name, each]) => `${escaped(name)} : ${written(each)}`).join(' ,\n ')} }`
}

const escaped = (text: string) => {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

/** Halves each run that can be an encoded signature; the rest of the value keeps its form. */
function halve(value: string): string {
  const cut = value.replace(/[A-Za-z0-9+/_-]{16,}={0,2}/g, (run) => run.slice(0, run.length >> 1))
  return cut === value ? value.slice(0, value.length >> 1) : cut
}
