import type { Transport } from '../../src/client/transport.ts'
import type { RecordedRequest } from '../../src/client/types.ts'

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** @param user - a username, with the password if it is public; otherwise curl prompts for it */
export const curlBy = (
  url: string,
  user: string,
  body: object,
  headers: { readonly [name: string]: string } = {},
): string =>
  [
    `curl -u ${/^[\w+:.-]+$/.test(user) ? user : quoted(user)} ${url}`,
    ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(
      ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
    ),
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ')

/** Headers of the transport, not of the request. */
const NOT_SENT =
  /^(authorization|host|content-length|connection|accept-encoding|transfer-encoding|user-agent|cookie|origin|referer|cdn-loop|sec-.*)$/

/** Characters of a body that the request log keeps. */
const KEPT = 65_536

/** Explains why a request cannot be repeated, or returns undefined. */
export function whyNotAgain({ path, headers, body }: RecordedRequest): string | undefined {
  if (typeof body === 'string' && body.length >= KEPT) return 'Its body was too long to be stored completely'
  const said = JSON.stringify([path, headers.filter(({ name }) => !NOT_SENT.test(name)), body])
  return said.includes('[redacted]') ? 'It contained secrets, which are not stored' : undefined
}

/** Sends the request with the window's key. @returns its new id and response */
export async function sendAgain(
  { transport }: { readonly transport: Transport },
  { method, path, headers, body }: RecordedRequest,
) {
  const sent = headers
    .filter(({ name }) => !NOT_SENT.test(name))
    .map(({ name, value }) => [name, value] as [string, string])
  const text =
    body === null || body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await transport.fetch(path, {
    method,
    headers: sent,
    ...(text !== undefined && !['GET', 'HEAD'].includes(method) && { body: text }),
  })
  await answer.arrayBuffer()
  return { id: answer.headers.get('sandbox-request-id'), status: answer.status }
}

/** Inserts the window's key into the sandbox's curl command. */
export const withKey = (curl: string, user: string): string =>
  curl.replace(
    '-u "$API_USERNAME:$API_PASSWORD"',
    () => `-u ${/^[\w+:.-]+$/.test(user) ? user : quoted(user)}`,
  )

export const headerLines = (headers: { readonly [name: string]: string }): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
