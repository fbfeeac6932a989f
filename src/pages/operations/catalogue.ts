import { type Described, descriptionJson } from '../../lib/files.ts'
import { type Here, markdownHere } from '../guides/for-this-sandbox.ts'
import { apisOf, type PageOptions } from '../page.ts'
import {
  isCommon,
  type Operation,
  operationsOf,
  parametersOf,
  type Part,
  resolve,
} from '../viewer/description.ts'
import { receiverHere } from '../viewer/for-this-sandbox.ts'

export type Chapter = Awaited<ReturnType<typeof readChapters>>[number]

const titles: Readonly<Record<Described, string>> = {
  service: 'Operations of the service',
  control: "Operations of the sandbox's own API",
  extensions: 'Operations of the previous API generation',
}

/** Reads the served descriptions. */
export const readChapters = (options: PageOptions) =>
  Promise.all(
    apisOf(options).map(async (api) => {
      const description: Part = JSON.parse(await descriptionJson(api))
      return { api, title: titles[api], description, operations: operationsOf(description.paths) }
    }),
  )

/** A request with its response. */
export interface Example {
  readonly name: string
  readonly summary: string
  readonly status: string
  /** Undefined if the request has no body. */
  readonly body: unknown
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly value: unknown }[]
  readonly response: unknown
}

/** Omits examples of errors that all operations share. */
export function examplesOf(description: Part, found: Operation): Example[] {
  const { operation } = found
  return Object.entries<Part>(operation.responses)
    .filter(([, response]) => !isCommon(response))
    .flatMap(([status, response]) =>
      Object.entries<Part>(contentOf(resolve(description, response))?.examples ?? {}).map(
        ([name, example]) => ({
          name,
          summary: example.summary ?? name,
          status,
          body: contentOf(operation.requestBody)?.examples?.[name]?.value,
          parameters: parametersOf(description, found).flatMap((each) =>
            each.examples?.[name] ? [{ name: each.name, in: each.in, value: each.examples[name].value }] : [],
          ),
          response: example.value,
        }),
      ),
    )
}

/** Returns JSON content if there is any. */
export const contentOf = (part: Part): Part =>
  part?.content?.['application/json'] ?? Object.values<Part>(part?.content ?? {})[0]

/** The values written in the documentation, which are replaced for this sandbox. */
const WRITTEN = { address: 'http://127.0.0.1:8080', user: 'demo:demo' }

/** Formats a request as a curl command. @param open - whether it needs no credentials */
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

/** The credentials that an operation requires. */
type Who = 'world' | 'admin' | 'nobody'

/** @param description - contains the default for operations without credentials of their own */
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

/** Quotes a word for a shell if necessary. */
const quoted = (text: string) => (/^[\w:/.@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Adapts an operation's page to this sandbox, with absolute links and working commands. */
export const operationHere = (markdown: string, here: Here): string =>
  receiverHere(
    markdownHere(markdown, here, (prose) =>
      prose.replace(
        /\]\((\/docs\/guides)(?:\/([\w-]+))?/g,
        (_, path: string, name = 'README') => `](${here.origin}${path}/${name}.md`,
      ),
    ),
    here.origin,
  )
