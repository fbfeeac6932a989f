import { type Components, isLenient } from './components.ts'
import {
  bodyOf,
  type Content,
  type OpenApiDocument,
  type Response,
  type Route,
  routesOf,
  componentName,
  type Parameter,
  resolve,
  type Schema,
} from './document.ts'
import { type CodeOptions, fromSchemas, schemaCode } from './schema-code.ts'
import { typesOf } from './schema-keywords.ts'

/**
 * Returns the code of routes.ts: one route per operation, and the stricter body schema of each operation with two.
 * @param http - the import path of src/http
 * @throws {Error} If an operation cannot be a route
 */
export function routeCode(document: OpenApiDocument, components: Components, http: string): string {
  const routes = routesOf(document)
  const requests = routes.map((route) => requestCode(document, components, route))
  const lists = routes.map((route) => responsesCode(components, route))
  const usual = usualOf(lists)
  const entries = routes.map((route, at) => {
    const isUsual = usual.every((each) => lists[at]!.includes(each))
    const responses = isUsual
      ? [...lists[at]!.filter((each) => !usual.includes(each)), '...usual()']
      : lists[at]!
    return `${route.id}: ${oneRoute(route, requests[at]!, responses)},`
  })
  const stricter = routes.flatMap((route) => stricterBody(document, components, route))
  const shared = sharedResponses(document, components)
  const code =
    (shared.length ? `const responses = {\n${shared.join('\n')}\n}\n\n` : '') +
    `/** The responses of most operations. */\nconst usual = () => ({ ${usual.join(', ')} })\n\n` +
    `export const routes = {\n${entries.join('\n')}\n}\n\n` +
    `/** The body schemas of the profile \`documented\`, for routes with a more lenient one. */\n` +
    `export const documentedBodies = {\n${stricter.join('\n')}\n}\n`
  return (
    (code.includes('z.') ? `import * as z from 'zod'\n` : '') +
    `import * as read from '${http}/parameter-readers.ts'\n` +
    `import { operations } from './operations.ts'\n` +
    (code.includes('schemas.') ? `import * as schemas from './schemas.ts'\n` : '') +
    `\n${code}`
  )
}

/** Returns the values that most lists contain. */
export function usualOf(lists: readonly (readonly string[])[]): readonly string[] {
  const all = [...new Set(lists.flat())]
  return all.filter((each) => lists.filter((list) => list.includes(each)).length > 0.75 * lists.length)
}

function oneRoute(route: Route, request: readonly string[], responses: readonly string[]): string {
  const parts = [
    ...extensionsOf(route),
    ...(request.length > 0 ? [`get request() { return { ${request.join(', ')} } }`] : []),
    `get responses() { return { ${responses.join(', ')} } }`,
  ]
  return `read.route('${route.id}', operations.${route.id}, {\n${parts.join(',\n')}\n})`
}

function requestCode(document: OpenApiDocument, components: Components, route: Route): readonly string[] {
  const lenient = fromSchemas(components, true)
  const request = parametersCode(document, route, fromSchemas(components))
  const body = bodyOf(document, route)
  if (!body) return request
  const schema = onlyJson(body)
  const code = schema
    ? `read.body(${schemaCode(schema, lenient)}${body.required ? '' : ', false'})`
    : `{ required: ${body.required === true}, content: ${contentCode(body, route.id, lenient)} }`
  return [...request, `body: ${code}`]
}

/** Properties of an operation that its schemas do not express. */
const EXTENSIONS = ['x-allowed-roles', 'x-audited', 'x-budget-exempt', 'x-body-limit', 'security'] as const

const extensionsOf = ({ operation }: Route): readonly string[] =>
  EXTENSIONS.filter((name) => operation[name] !== undefined).map(
    (name) => `'${name}': ${JSON.stringify(operation[name])}`,
  )

function stricterBody(document: OpenApiDocument, components: Components, route: Route): string[] {
  const schema = bodyOf(document, route)?.content?.['application/json']?.schema
  if (!schema || !isLenient(schema, components.lenient)) return []
  return [`get ${route.id}() { return ${schemaCode(schema, fromSchemas(components))} },`]
}

/** Response components, written once and referenced by routes. */
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

/** Responses without a body schema use the shared error body. */
function responseCode(components: Components, response: Response, where: string): string {
  if (!response.content && !components.names.includes('Error'))
    throw new Error(`${where} has no content, and there is no schema Error to take its place`)
  const description = JSON.stringify(response.description)
  const json = response.content ? onlyJson(response) : { $ref: '#/components/schemas/Error' }
  return json
    ? `read.json(${description}, ${schemaCode(json, fromSchemas(components))})`
    : `{ description: ${description}, content: ${contentCode(response, where, fromSchemas(components))} }`
}

/** Returns the schema of content that is always JSON. */
function onlyJson({ content = {} }: Content): Schema | undefined {
  const { 'application/json': json, ...others } = content
  return Object.keys(others).length === 0 ? json?.schema : undefined
}

function contentCode({ content }: Content, where: string, options: CodeOptions): string {
  const types = Object.entries(content ?? {}).map(([type, { schema }]) => {
    if (!schema) throw new Error(`${where}: ${type} needs a schema`)
    return `${JSON.stringify(type)}: { schema: ${schemaCode(schema, options)} }`
  })
  return `{ ${types.join(', ')} }`
}

const places = { path: 'params', query: 'query', header: 'headers' } as const

/**
 * Returns the `params`, `query` and `headers` of a route, each a zod object over texts. The strict readers of
 * src/http/parameter-readers.ts parse numbers and booleans.
 * @throws {Error} For cookies, and for types without a reader
 */
function parametersCode(document: OpenApiDocument, route: Route, options: CodeOptions): string[] {
  const fields = new Map<string, string[]>()
  for (const reference of route.parameters) {
    const parameter = resolve<Parameter>(document, reference)
    const where = `${route.id}: parameter ${parameter.name}`
    if (parameter.in === 'cookie') throw new Error(`${where}: cookies are not read; use a header`)
    const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name
    const code = `${JSON.stringify(name)}: ${parameterCode(document, parameter, where, options)}`
    fields.set(places[parameter.in], [...(fields.get(places[parameter.in]) ?? []), code])
  }
  return [...fields].map(([place, codes]) => `${place}: z.object({ ${codes.join(', ')} })`)
}

function parameterCode(
  document: OpenApiDocument,
  parameter: Parameter,
  where: string,
  options: CodeOptions,
): string {
  if (!parameter.schema) throw new Error(`${where} has no schema`)
  const schema = concrete(document, parameter.schema)
  const code = readerCode(schema, schemaCode(parameter.schema, options), where)
  if (schema.default !== undefined) return `${code}.default(${JSON.stringify(schema.default)})`
  return parameter.required ? code : `${code}.optional()`
}

function readerCode(schema: Schema, code: string, where: string): string {
  const type = typesOf(schema).join()
  if (type === 'string') return code
  if (type === 'integer' || type === 'number') return `read.${type}(${code})`
  if (type === 'boolean') return 'read.boolean()'
  throw new Error(
    `${where}: a parameter is a string, an integer, a number or a boolean, not ${type || 'untyped'}`,
  )
}

/** Resolves references to get the type and the default. */
function concrete(document: OpenApiDocument, schema: Schema): Schema {
  if (!schema.$ref) return schema
  componentName(schema.$ref)
  return concrete(document, resolve<Schema>(document, { $ref: schema.$ref }))
}
