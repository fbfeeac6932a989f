import { type Described, descriptionJson } from '../../files.ts'
import { type Here, markdownHere } from '../guides/for-this-sandbox.ts'
import { type Operation, operationsOf, type Part, resolve } from '../viewer/description.ts'
import { receiverHere } from '../viewer/for-this-sandbox.ts'

/** The operations of one description. */
export interface Chapter {
  readonly api: Described
  readonly title: string
  readonly description: Part
  readonly operations: readonly Operation[]
}

const titles: Readonly<Record<Described, string>> = {
  service: 'Operations of the service',
  control: "Operations of the sandbox's own API",
  extensions: 'Operations of the older generation',
}

/** The descriptions that are served. @param extensions whether that of the API's older generation is */
export const readChapters = (extensions: boolean): Promise<readonly Chapter[]> =>
  Promise.all(
    (extensions ? (['service', 'control', 'extensions'] as const) : (['service', 'control'] as const)).map(
      async (api) => {
        const description: Part = JSON.parse(await descriptionJson(api))
        return { api, title: titles[api], description, operations: operationsOf(description.paths) }
      },
    ),
  )

/** One request and its answer. */
export interface Example {
  readonly name: string
  readonly summary: string
  readonly status: string
  /** Undefined where nothing is sent. */
  readonly body: unknown
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly value: unknown }[]
  readonly answer: unknown
}

/** Those that are answered alike everywhere are left to the page of all refusals. */
export function examplesOf(description: Part, item: Part, operation: Part): Example[] {
  return Object.entries<Part>(operation.responses)
    .filter(([, response]) => response.$ref === undefined)
    .flatMap(([status, response]) =>
      Object.entries<Part>(contentOf(response)?.examples ?? {}).map(([name, example]) => ({
        name,
        summary: example.summary ?? name,
        status,
        body: contentOf(operation.requestBody)?.examples?.[name]?.value,
        parameters: parametersOf(description, item, operation).flatMap((each) =>
          each.examples?.[name] ? [{ name: each.name, in: each.in, value: each.examples[name].value }] : [],
        ),
        answer: example.value,
      })),
    )
}

/** The parameters of a path and of one of its operations. */
export const parametersOf = (description: Part, item: Part, operation: Part): Part[] =>
  [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) => resolve(description, each))

/** JSON where there is some. */
export const contentOf = (part: Part): Part =>
  part?.content?.['application/json'] ?? Object.values<Part>(part?.content ?? {})[0]

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
type Who = 'world' | 'admin' | 'nobody'

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

/** An operation's page for whoever reads it at this sandbox: its links are whole, its requests can be typed. */
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
