import {
  type Content,
  type OpenApiDocument,
  type Parameter,
  type RequestBody,
  resolve,
  type Response,
  type Route,
  routesOf,
} from './document.ts'
import { typeCode, type TypeOptions } from './type-code.ts'

const inTypes: TypeOptions = { reference: (name) => `types.${name}` }

const places = { path: 'param', query: 'query', header: 'header' } as const

/**
 * The code of rpc.ts: the operations by path and method, in the form in which Hono's own client and `app.route` know them. It
 * needs no package, so that the library's declarations need none.
 */
export function rpcCode(document: OpenApiDocument): string {
  const routes = routesOf(document)
  const paths = [...new Set(routes.map(({ path }) => path))].map((path) => {
    const methods = routes
      .filter((route) => route.path === path)
      .map((route) => `$${route.method}: ${endpointCode(document, route)}`)
    return `${JSON.stringify(path.replace(/\{(\w+)\}/g, ':$1'))}: { ${methods.join('; ')} }`
  })
  const code = `/** The operations as \`hc\` of hono/client has them. */\nexport type Rpc = {\n${paths.join('\n')}\n}\n`
  return `import type * as types from './types.ts'\n\n${code}`
}

/** Statuses with the same output stand together. */
function endpointCode(document: OpenApiDocument, route: Route): string {
  const input = inputCode(document, route)
  const statuses = new Map<string, string[]>()
  for (const [code, response] of Object.entries(route.operation.responses ?? {})) {
    const status = /^\d+$/.test(code) ? code : 'number'
    const output = outputCode(resolve<Response>(document, response).content)
    statuses.set(output, [...(statuses.get(output) ?? []), status])
  }
  return [...statuses]
    .map(([output, list]) => `{ input: ${input}; ${output}; status: ${list.join(' | ')} }`)
    .join(' | ')
}

/** Parameters are text on their way. */
function inputCode(document: OpenApiDocument, { parameters, operation }: Route): string {
  const sent = parameters.map((each) => resolve<Parameter>(document, each))
  const parts = Object.entries(places).flatMap(([place, name]) => {
    const fields = sent
      .filter((each) => each.in === place)
      .map((each) => `${JSON.stringify(each.name)}${each.required ? '' : '?'}: string`)
    return fields.length ? [`${name}: { ${fields.join('; ')} }`] : []
  })
  const body = operation.requestBody && resolve<RequestBody>(document, operation.requestBody)
  const schema = body?.content?.['application/json']?.schema
  if (schema) parts.push(`json${body.required ? '' : '?'}: ${typeCode(schema, inTypes)}`)
  return `{ ${parts.join('; ')} }`
}

function outputCode(content: Content['content']): string {
  const json = content?.['application/json']?.schema
  const output = json ? typeCode(json, inTypes) : content ? 'string' : 'types.Error'
  return `output: ${output}; outputFormat: '${json || !content ? 'json' : 'text'}'`
}
