/** What went over the wire, as certifications show it. */
import type { CallbackAttempt, RecordedRequest } from '../generated/control/types.ts'
import type { Exchange, Header } from './certification.ts'

/** Bytes of a body that are kept, in characters. */
export const MOST_KEPT = 4_096

export const kept = (text: string): string =>
  text.length <= MOST_KEPT ? text : `${text.slice(0, MOST_KEPT)}… (${text.length} characters)`

export const headerList = (headers: Iterable<readonly [string, string]>): readonly Header[] =>
  [...headers].map(([name, value]) => ({ name, value }))

const NULL_TIME = new Date(0).toISOString()
const isoOf = (text: string) => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? NULL_TIME : new Date(time).toISOString()
}

/** An attempt to deliver a callback. */
export function ofAttempt(attempt: CallbackAttempt, method: string, label: string): Exchange {
  const { request, answer } = attempt
  return {
    kind: 'callback',
    label,
    at: isoOf(attempt.sent_at),
    duration_ms: attempt.duration_ms,
    method,
    url: attempt.url,
    request: { headers: headerList(Object.entries(request.headers)), body: kept(request.body) },
    answer: answer && {
      status: answer.status,
      headers: headerList(Object.entries(answer.headers)),
      body: kept(answer.body),
    },
    error: answer ? '' : attempt.error || 'no answer came',
  }
}

/** A request of the shop, as the sandbox has it on record: secrets are left out there. */
export const ofRequest = (request: RecordedRequest, label: string): Exchange => ({
  kind: 'request',
  label,
  at: isoOf(request.at),
  duration_ms: request.duration_ms,
  method: request.method,
  url: request.path,
  request: { headers: request.headers, body: kept(textOf(request.body)) },
  answer:
    request.status === null
      ? null
      : { status: request.status, headers: [], body: kept(textOf(request.answer)) },
  error: request.status === null ? 'the connection was cut' : '',
})

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const NOT_REPEATED = /^(host|content-length|connection|accept-encoding|transfer-encoding|cdn-loop)$/i

/** A command that sends the same bytes again. */
export function curlOf({ method, url, request }: Exchange): string {
  const headers = request.headers
    .filter(({ name }) => !NOT_REPEATED.test(name))
    .map(({ name, value }) => ` -H ${quoted(`${name}: ${value}`)}`)
  const body = request.body === '' ? '' : ` --data-binary ${quoted(request.body)}`
  return `curl -i -X ${method} ${quoted(url)}${headers.join('')}${body}`
}

/** For a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
