import type { JournalEntry } from './journal.ts'
import { headersOf, withoutSecrets } from './request-view.ts'

const LEFT_OUT =
  /^(authorization|host|content-length|connection|accept-encoding|transfer-encoding|user-agent)$/

/** A command for a POSIX shell that makes the request again; credentials come from the environment. */
export function curlOf(entry: JournalEntry): string {
  const parts = ['curl']
  if (entry.method !== 'GET') parts.push(`-X ${entry.method}`)
  parts.push(quoted(entry.url), '-u "$API_USERNAME:$API_PASSWORD"')
  for (const { name, value } of headersOf(entry))
    if (!LEFT_OUT.test(name) && !value.includes('[redacted]')) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (entry.body !== '') parts.push(`--data-raw ${quoted(bodyText(entry))}`)
  return parts.join(' ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The requests as an HTTP archive (HAR 1.2). */
export function harOf(entries: readonly JournalEntry[], version: string) {
  const creator = { name: 'payments-sandbox', version }
  return {
    log: { version: '1.2', creator, entries: entries.filter(({ answered }) => answered).map(harEntry) },
  }
}

function harEntry(entry: JournalEntry) {
  const url = new URL(entry.url)
  const body = bodyText(entry)
  const answer = entry.answer === undefined ? '' : JSON.stringify(withoutSecrets(entry.answer))
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  return {
    startedDateTime: new Date(entry.at).toISOString(),
    time: entry.duration_ms,
    request: {
      ...common,
      method: entry.method,
      url: entry.url,
      headers: headersOf(entry),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
      ...(body !== '' && { postData: { mimeType: 'application/json', text: body } }),
      bodySize: Buffer.byteLength(body),
    },
    response: {
      ...common,
      status: entry.status,
      statusText: '',
      headers: [{ name: 'sandbox-request-id', value: entry.id }],
      content: { size: Buffer.byteLength(answer), mimeType: 'application/json', text: answer },
      redirectURL: '',
      bodySize: Buffer.byteLength(answer),
    },
    cache: {},
    timings: { send: 0, wait: entry.duration_ms, receive: 0 },
  }
}

/** As it was sent when it has no secrets. */
function bodyText({ body }: JournalEntry): string {
  try {
    const value: unknown = JSON.parse(body)
    const clean = withoutSecrets(value)
    return JSON.stringify(clean) === JSON.stringify(value) ? body : JSON.stringify(clean)
  } catch {
    return body
  }
}
