/** Whole numbers at the edges of what 32 bits, 64 bits and JSON carry, in every place of a request that takes one. */
import { type OpenApiDocument, type RequestBody, resolve, type Schema } from '../../openapi/document.ts'
import { typesOf } from '../../openapi/schema-keywords.ts'
import { type FuzzRequest, type Operation, operations } from './requests.ts'

const EDGES = [31n, 53n, 63n].flatMap((bits) => {
  const edge = 2n ** bits
  return [-edge - 1n, -edge, edge - 1n, edge]
})
const VALUES = [-1n, 0n, 9_007_199_254_740_000n, ...EDGES].map(String)

/** Stands in a body for a number that JavaScript's own cannot be. */
const MARK = '@edge'

/** A request for each place of each operation and each edge; all else in it is as in the examples. */
export const edgeRequests = (authorization: string): readonly FuzzRequest[] =>
  operations.flatMap((operation) => {
    const places = [...inParameters(operation), ...inBody(operation)]
    return places.flatMap((place) => VALUES.map((value) => requestOf(operation, authorization, place(value))))
  })

interface Filled {
  readonly parameter?: { readonly name: string; readonly value: string }
  readonly body?: string
}

const inParameters = ({ parameters }: Operation) =>
  parameters
    .filter(({ schema }) => schema && typesOf(schema).includes('integer'))
    .map(({ name }) => (value: string): Filled => ({ parameter: { name, value } }))

function inBody({ document, route, bodies }: Operation) {
  const sent = route.operation.requestBody && resolve<RequestBody>(document, route.operation.requestBody)
  const schema = sent?.content?.['application/json']?.schema
  const whole = bodies.at(-1)
  if (!schema) return []
  return pathsOf(document, schema, whole).map((path) => (value: string): Filled => {
    const copy = structuredClone({ body: whole })
    const at = ['body', ...path]
    const holder = at.slice(0, -1).reduce<unknown>((part, key) => (part as Fields)[key], copy)
    ;(holder as Fields)[at.at(-1)!] = MARK
    return { body: JSON.stringify(copy.body).replace(`"${MARK}"`, value) }
  })
}

type Fields = Record<string, unknown>

/** Where the schema has a whole number, as far as the value has what leads there. */
function pathsOf(document: OpenApiDocument, schema: Schema, value: unknown): readonly (readonly string[])[] {
  const plain = resolve<Schema>(document, schema as Schema & { $ref: string })
  if (typesOf(plain).includes('integer')) return [[]]
  const choices = [...(plain.oneOf ?? []), ...(plain.allOf ?? [])]
  const within = (key: string, inner: Schema) =>
    pathsOf(document, inner, (value as Fields | undefined)?.[key]).map((path) => [key, ...path])
  const isHolder = typeof value === 'object' && value !== null
  return [
    ...choices.flatMap((choice) => pathsOf(document, choice, value)),
    ...(isHolder ? Object.entries(plain.properties ?? {}).flatMap(([key, inner]) => within(key, inner)) : []),
    ...(Array.isArray(value) && value.length > 0 && plain.items ? within('0', plain.items) : []),
  ]
}

function requestOf(
  { id, route, parameters, bodies }: Operation,
  authorization: string,
  filled: Filled,
): FuzzRequest {
  const query = new URLSearchParams()
  const headers: Record<string, string> = { authorization }
  let path = route.path
  for (const { name, in: place, required, example } of parameters) {
    const own = filled.parameter?.name === name
    const value = own ? filled.parameter!.value : String(example ?? 1)
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (place === 'query' && (own || required)) query.append(name, value)
  }
  const body = filled.body ?? (bodies.length > 0 ? JSON.stringify(bodies.at(-1)) : undefined)
  if (body !== undefined) headers['content-type'] = 'application/json'
  const search = query.size > 0 ? `?${query}` : ''
  return { id, method: route.method.toUpperCase(), path: path + search, headers, body }
}
