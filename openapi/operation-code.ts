import {
  bodyOf,
  type OpenApiDocument,
  type Parameter,
  resolve,
  type Response,
  type Route,
  operationsOf,
} from './document.ts'
import { typeCode, type TypeOptions } from './type-code.ts'

const inTypes: TypeOptions = { reference: (name) => `types.${name}` }

/**
 * The code of operations.ts: the operations by name as who calls them has them, where each is, what it takes, what it answers and what
 * it says when it refuses. Parameters with a default may be left out.
 */
export function operationsCode(document: OpenApiDocument): string {
  const routes = operationsOf(document)
  const places = routes.map((route) => {
    const names = parametersIn(document, route, 'query').map(({ name }) => name)
    const query = names.length > 0 ? `{?${names.join(',')}}` : ''
    return `${route.id}: '${route.method.toUpperCase()} ${route.path}${query}',`
  })
  const kinds = routes.map((route) => `readonly ${route.id}: ${operationType(document, route)}`)
  return [
    `import type * as types from './types.ts'`,
    `/** The method and the URI template (RFC 6570) of each operation. */\nexport const operations = {\n${places.join('\n')}\n} as const\n`,
    `/** What each operation takes and gives. */\nexport interface Operations {\n${kinds.join('\n')}\n}\n`,
  ].join('\n\n')
}

function operationType(document: OpenApiDocument, route: Route): string {
  const parts = [
    `readonly input: { ${inputCode(document, route).join('; ')} }`,
    `readonly answer: ${outputs(document, route, (status) => status < 400)}`,
    `readonly refusal: ${outputs(document, route, (status) => status >= 400)}`,
    ...callbackPart(document, route),
  ]
  return `{ ${parts.join('; ')} }`
}

function inputCode(document: OpenApiDocument, route: Route): string[] {
  const parts = (['path', 'query'] as const).flatMap((place) => {
    const fields = parametersIn(document, route, place)
    if (fields.length === 0) return []
    const needed = fields.some(({ required }) => required)
    return [part(place, needed, `{ ${fields.map(place === 'query' ? toldField : fieldCode).join('\n')} }`)]
  })
  const body = bodyOf(document, route)
  const schema = body?.content?.['application/json']?.schema
  return schema ? [...parts, part('body', body?.required === true, typeCode(schema, inTypes))] : parts
}

const parametersIn = (document: OpenApiDocument, route: Route, place: 'path' | 'query') =>
  route.parameters
    .map((each) => resolve<Parameter>(document, each))
    .filter((parameter) => parameter.in === place)

/** A query is the filter of a list in the library, so that editors show its descriptions. */
const toldField = (parameter: Parameter) =>
  `/** ${(parameter.description ?? '').trim().replace(/\s*\n\s*/g, ' ')} */\n${fieldCode(parameter)}`

const fieldCode = ({ name, required, schema = {} }: Parameter) =>
  part(JSON.stringify(name), required === true, typeCode(schema, inTypes))

const part = (name: string, needed: boolean, type: string) =>
  needed ? `readonly ${name}: ${type}` : `readonly ${name}?: ${type} | undefined`

/** What is answered with the statuses that are meant: JSON where there is any, or else text, or nothing. */
function outputs(
  document: OpenApiDocument,
  { operation }: Route,
  meant: (status: number) => boolean,
): string {
  const types = Object.entries(operation.responses ?? {})
    .filter(([code]) => meant(/^\d+$/.test(code) ? Number(code) : 500))
    .map(([, response]) => {
      const { content } = resolve<Response>(document, response)
      const schema = content?.['application/json']?.schema
      return schema ? typeCode(schema, inTypes) : content ? 'string' : 'undefined'
    })
  return [...new Set(types)].join(' | ') || 'undefined'
}

function callbackPart(document: OpenApiDocument, { operation }: Route): string[] {
  const bodies = Object.values(operation.callbacks ?? {}).flatMap((reference) =>
    Object.values(resolve(document, reference)).flatMap(({ post }) => {
      const body = post?.requestBody && resolve(document, post.requestBody)
      const schema = body?.content?.['application/json']?.schema
      return schema ? [typeCode(schema, inTypes)] : []
    }),
  )
  return bodies.length > 0 ? [`readonly callback: ${[...new Set(bodies)].join(' | ')}`] : []
}
