import { fromSchemas } from './component-code.ts'
import { type Components, isLenient } from './components.ts'
import {
  bodyOf,
  type Content,
  type OpenApiDocument,
  type Response,
  type Route,
  routesOf,
} from './document.ts'
import { parametersCode } from './parameter-code.ts'
import { type CodeOptions, schemaCode } from './schema-code.ts'

/**
 * The code of routes.ts: a route an operation, and the stricter body schemas of those that have two.
 * @param http where src/http is, as an import
 * @throws when an operation has what no route can be made of
 */
export function routeCode(document: OpenApiDocument, components: Components, http: string): string {
  const routes = routesOf(document)
  const entries = routes.map((route) => `${route.id}: ${oneRoute(document, components, route)},`)
  const stricter = routes.flatMap((route) => stricterBody(document, components, route))
  const shared = sharedResponses(document, components)
  const code =
    (shared.length ? `const responses = {\n${shared.join('\n')}\n}\n\n` : '') +
    `export const routes = {\n${entries.join('\n')}\n}\n\n` +
    `/** The bodies that the profile \`documented\` demands, where a route takes a more lenient one. */\n` +
    `export const documentedBodies = {\n${stricter.join('\n')}\n}\n`
  return (
    (code.includes('z.') ? `import * as z from 'zod'\n` : '') +
    `import { route } from '${http}/route.ts'\n` +
    (code.includes('wire.') ? `import * as wire from '${http}/wire.ts'\n` : '') +
    (code.includes('schemas.') ? `import * as schemas from './schemas.ts'\n` : '') +
    `\n${code}`
  )
}

function oneRoute(document: OpenApiDocument, components: Components, route: Route): string {
  const lenient = fromSchemas(components, true)
  const request = parametersCode(document, route, fromSchemas(components))
  const body = bodyOf(document, route)
  if (body) {
    const required = body.required ? 'required: true, ' : ''
    request.push(`body: { ${required}content: ${contentCode(body, route.id, lenient)} }`)
  }
  return `route({
    operationId: ${JSON.stringify(route.id)},
    method: ${JSON.stringify(route.method)},
    path: ${JSON.stringify(route.path)},${extensionsCode(route)}
    ${request.length ? `get request() { return { ${request.join(', ')} } },` : ''}
    get responses() { return { ${responsesCode(components, route).join(', ')} } },
  })`
}

/** What the description says of an operation that its schemas cannot. */
const EXTENSIONS = ['x-allowed-roles', 'x-audited', 'x-budget-exempt', 'x-body-limit', 'security'] as const

function extensionsCode({ operation }: Route): string {
  const said = EXTENSIONS.filter((name) => operation[name] !== undefined)
  return said.map((name) => `\n    '${name}': ${JSON.stringify(operation[name])},`).join('')
}

function stricterBody(document: OpenApiDocument, components: Components, route: Route): string[] {
  const schema = bodyOf(document, route)?.content?.['application/json']?.schema
  if (!schema || !isLenient(schema, components.lenient)) return []
  return [`get ${route.id}() { return ${schemaCode(schema, fromSchemas(components))} },`]
}

/**
 * The code of paths.ts, apart from the routes: what is asked for can be told from it without the schemas.
 * @throws when operations share an id or have none
 */
export function pathCode(document: OpenApiDocument): string {
  const paths = routesOf(document).map(({ method, path }) => `${JSON.stringify({ method, path })},`)
  return `/** Where the operations are, in the order of the description. */\nexport const paths = [\n${paths.join('\n')}\n]\n`
}

/** The response components, written once and named by the routes. */
function sharedResponses(document: OpenApiDocument, components: Components): string[] {
  const responses = (document.components?.['responses'] ?? {}) as Readonly<Record<string, Response>>
  return Object.entries(responses).map(
    ([name, response]) =>
      `get ${JSON.stringify(name)}() { return ${responseCode(components, response, `response ${name}`)} },`,
  )
}

function responsesCode(components: Components, route: Route): string[] {
  return Object.entries(route.operation.responses ?? {}).map(([status, response]) => {
    const where = `${route.id}: response ${status}`
    if (!('$ref' in response) && !response.content && !/^[45]/.test(status))
      throw new Error(`${where} needs a content; only refusals have a shared one`)
    const code =
      '$ref' in response
        ? `responses.${responseName(response.$ref)}`
        : responseCode(components, response, where)
    return `${/^\d+$/.test(status) ? status : JSON.stringify(status)}: ${code}`
  })
}

function responseName(ref: string): string {
  const name = /^#\/components\/responses\/([A-Za-z_]\w*)$/.exec(ref)?.[1]
  if (!name) throw new Error(`${ref} must point at a component response whose name is an identifier`)
  return name
}

/** A response that says nothing of its body is a refusal with the shared one. */
function responseCode(components: Components, response: Response, where: string): string {
  if (!response.content && !components.names.includes('Error'))
    throw new Error(`${where} has no content, and there is no schema Error to take its place`)
  const content = response.content
    ? contentCode(response, where, fromSchemas(components))
    : `{ 'application/json': { schema: schemas.Error() } }`
  return `{ description: ${JSON.stringify(response.description)}, content: ${content} }`
}

function contentCode({ content }: Content, where: string, options: CodeOptions): string {
  const types = Object.entries(content ?? {}).map(([type, { schema }]) => {
    if (!schema) throw new Error(`${where}: ${type} needs a schema`)
    return `${JSON.stringify(type)}: { schema: ${schemaCode(schema, options)} }`
  })
  return `{ ${types.join(', ')} }`
}
