import type { Part } from '../viewer/description.ts'
import type { Example } from './examples.ts'

/** What the documentation is written with; whoever reads it somewhere else is shown that place. */
const WRITTEN = { address: 'http://127.0.0.1:8080', user: 'demo:demo' }

/** A request as it is typed. @param open whether it needs no credentials */
export function curlOf(method: string, path: string, example: Example | undefined, who: Who): string {
  const { parameters = [], body } = example ?? {}
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(String(value))), path)
  const query = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, value }) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
  const address = `${WRITTEN.address}${filled}${query ? `?${query}` : ''}`
  const verb = (body === undefined ? 'get' : 'post') === method ? '' : `-X ${method.toUpperCase()} `
  const lines = [`curl ${verb}${credentials(who)}${quoted(address)}`]
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(json(body))}`)
  return lines.join(' \\\n  ')
}

/** Whose credentials an operation asks for. */
export type Who = 'world' | 'admin' | 'nobody'

/** @param description has what holds for operations that say nothing */
export function whoCalls(description: Part, operation: Part): Who {
  const schemes: Part[] = operation.security ?? description.security
  if (schemes.length === 0) return 'nobody'
  if (schemes.some((each) => each.adminToken)) return 'admin'
  return schemes.some((each) => each.basicAuth) ? 'world' : 'nobody'
}

const credentials = (who: Who) =>
  who === 'world'
    ? `-u ${WRITTEN.user} `
    : who === 'admin'
      ? '-H "Authorization: Bearer $SANDBOX_ADMIN_TOKEN" '
      : ''

export const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** As a shell takes it; what needs no quotes has none. */
const quoted = (text: string) => (/^[\w:/.@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
