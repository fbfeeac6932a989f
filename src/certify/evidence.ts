import type { Exchange, Header, Moment } from '../generated/certification.ts'
import { systemWall } from '../lib/clock/clock.ts'
import type { CallbackAttempt, RecordedRequest } from '../generated/control/types.ts'

export const MAX_BODY = 4_096

export const kept = (text: string): string =>
  text.length <= MAX_BODY ? text : `${text.slice(0, MAX_BODY)}… (${text.length} characters)`

export const headerList = (headers: Iterable<readonly [string, string]>): readonly Header[] =>
  [...headers].map(([name, value]) => ({ name, value }))

const isoOf = (text: string) => {
  const time = Date.parse(text)
  return new Date(Number.isNaN(time) ? 0 : time).toISOString()
}

export function ofAttempt(attempt: CallbackAttempt, method: string, label: string): Exchange {
  const { request, response: answer } = attempt
  return {
    kind: 'callback',
    label,
    at: isoOf(attempt.sent_at),
    duration_ms: attempt.duration_ms,
    method,
    url: attempt.url,
    request: { headers: headerList(Object.entries(request.headers)), body: kept(request.body) },
    response: answer && {
      status: answer.status,
      headers: headerList(Object.entries(answer.headers)),
      body: kept(answer.body),
    },
    error: answer ? '' : attempt.error || 'no response',
  }
}

/** Converts a request of the shop from the request log, which contains no secrets. */
export const ofRequest = (request: RecordedRequest, label: string): Exchange => ({
  kind: 'request',
  label,
  at: isoOf(request.at),
  duration_ms: request.duration_ms,
  method: request.method,
  url: request.path,
  request: { headers: request.headers, body: kept(textOf(request.body)) },
  response:
    request.status === null
      ? null
      : { status: request.status, headers: [], body: kept(textOf(request.response)) },
  error: request.status === null ? 'the connection was cut' : '',
})

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

export type Evidence = Readonly<ReturnType<EvidenceLog['end']>>
export type EvidenceLog = ReturnType<typeof createEvidenceLog>

export function createEvidenceLog() {
  const steps: string[] = []
  const exchanges: Exchange[] = []
  const timeline: Moment[] = []
  let world_at: string | null = null
  const event = (who: Moment['who'], what: string): void => {
    timeline.push({ at: new Date(systemWall()).toISOString(), world_at, who, what })
  }
  return {
    step(what: string): void {
      steps.push(what)
      event('certify', what)
    },
    event,
    keep(...sent: readonly Exchange[]): void {
      exchanges.push(...sent)
    },
    /** Sets the time of the world's clock for later events. @param now milliseconds, or a date */
    clock(now: number | string): void {
      world_at = new Date(now).toISOString()
    },
    end: (duration_ms: number) => ({ steps, exchanges, timeline, duration_ms }),
  }
}
