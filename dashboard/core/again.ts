/** A request on record, made once more. */
import type { Transport } from '../../src/client/transport.ts'
import type { RecordedRequest } from '../../src/client/types.ts'
import { quoted } from './durations.ts'

/** What belongs to the way it came, and not to the request. */
const NOT_SENT =
  /^(authorization|host|content-length|connection|accept-encoding|transfer-encoding|user-agent|cookie|origin|referer|cdn-loop|sec-.*)$/

/** Characters of a body that are kept. */
const KEPT = 65_536

/** Why it cannot be sent again as it was; undefined when it can. */
export function whyNotAgain({ path, headers, body }: RecordedRequest): string | undefined {
  if (typeof body === 'string' && body.length >= KEPT) return 'Only the beginning of its body is kept'
  const said = JSON.stringify([path, headers.filter(({ name }) => !NOT_SENT.test(name)), body])
  return said.includes('[redacted]') ? 'It had secrets, which are not kept' : undefined
}

/** Sends it with the window's key. @returns its id on the record, and how it was answered */
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

/** The sandbox's command, which takes its key from the environment, with the window's key in its place. */
export const withKey = (curl: string, user: string): string =>
  curl.replace(
    '-u "$API_USERNAME:$API_PASSWORD"',
    () => `-u ${/^[\w+:.-]+$/.test(user) ? user : quoted(user)}`,
  )
