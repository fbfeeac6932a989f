import { hideCredentials, isSecretName, redact, redactLoose, redactText } from '../lib/log/redact.ts'
import type { RecordedRequest } from '../generated/control/schemas.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import { headerIn } from '../lib/text/header-in.ts'
import { readTrace, traceIdOf } from '../lib/log/trace-context.ts'
import type { JournalEntry } from './journal.ts'
import { answerOf, factsOf } from './request-facts.ts'

/** A request as it is shown: whole, but for its secrets. */
export function requestView(entry: JournalEntry): RecordedRequest {
  return {
    id: entry.id,
    at: wireTime(entry.at),
    operation: entry.operation || null,
    username: entry.username,
    method: entry.method,
    path: redactText(pathOf(entry.url)),
    headers: headersOf(entry),
    body: entry.body === '' ? null : shownBody(entry.body),
    status: entry.status || null,
    answer: withoutSecrets(answerOf(entry) ?? null),
    duration_ms: entry.duration_ms,
    scenario: scenarioOf(entry),
    ...traceOf(entry),
  }
}

function traceOf({ headers }: JournalEntry) {
  const trace = readTrace(headerIn(headers, 'traceparent'), undefined)
  return trace && { trace_id: traceIdOf(trace) }
}

/** A request in a line, as events tell of it. */
export function requestSummary(entry: JournalEntry) {
  const { id, operation, method, status, duration_ms } = entry
  const { reference } = factsOf(entry)
  const path = redactText(pathOf(entry.url))
  const scenario = scenarioOf(entry)
  return {
    id,
    operation: operation || null,
    method,
    path,
    status,
    duration_ms,
    reference: reference ?? null,
    scenario,
  }
}

const scenarioOf = ({ decided }: JournalEntry) => decided?.decision.scenario ?? null

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Names in lower case, without secrets. */
export function headersOf({ headers }: JournalEntry): { name: string; value: string }[] {
  const list = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase()
    const value = headers[i + 1]!
    list.push({ name, value: isSecretName(name) ? hideCredentials(value) : redactText(value) })
  }
  return list
}

function shownBody(text: string): unknown {
  try {
    return withoutSecrets(JSON.parse(text))
  } catch {
    return redactLoose(text)
  }
}

/** A request as it is taken elsewhere: whole, but for its secrets. */
export const withoutSecretsIn = (entry: JournalEntry): JournalEntry => ({
  ...(withoutSecrets(entry) as JournalEntry),
  headers: headersOf(entry).flatMap(({ name, value }) => [name, value]),
  body: bodyText(entry),
  sent: bodyText({ ...entry, body: entry.sent }),
})

/** As it was sent when it has no secrets, so that a copy of it is the same request. */
export function bodyText({ body }: JournalEntry): string {
  try {
    const value: unknown = JSON.parse(body)
    const clean = JSON.stringify(withoutSecrets(value))
    return clean === JSON.stringify(value) ? body : clean
  } catch {
    return redactLoose(body)
  }
}

export const withoutSecrets = (value: unknown): unknown => JSON.parse(JSON.stringify(value, redact) ?? 'null')
