import { exactTime } from '../service/domain/wire-time.ts'
import { redactText } from '../lib/log/redact.ts'
import type { JournalEntry } from './journal.ts'
import { answerOf } from './request-facts.ts'
import { bodyText, headersOf, withoutSecrets } from './request-view.ts'

const LEFT_OUT =
  /^(authorization|host|content-length|connection|accept-encoding|transfer-encoding|user-agent)$/

/** A command for a POSIX shell that makes the request again; credentials come from the environment. */
export function curlOf(entry: JournalEntry): string {
  const parts = ['curl']
  if (entry.method !== 'GET') parts.push(`-X ${entry.method}`)
  parts.push(quoted(redactText(entry.url)), '-u "$API_USERNAME:$API_PASSWORD"')
  for (const { name, value } of headersOf(entry))
    if (!LEFT_OUT.test(name) && !value.includes('[redacted]')) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (entry.body !== '') parts.push(`--data-raw ${quoted(bodyText(entry))}`)
  return parts.join(' ')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** An HTTP archive (HAR 1.2) without entries. */
export const emptyHar = (version: string) => ({
  log: { version: '1.2', creator: { name: 'payments-sandbox', version }, entries: [] },
})

/** An answered request in an HTTP archive. */
export function harEntry(entry: JournalEntry) {
  const url = redactText(entry.url)
  const body = bodyText(entry)
  const answer = entry.sent === '' ? '' : JSON.stringify(withoutSecrets(answerOf(entry)))
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  return {
    startedDateTime: exactTime(entry.at),
    time: entry.duration_ms,
    request: {
      ...common,
      method: entry.method,
      url,
      headers: headersOf(entry),
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
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
