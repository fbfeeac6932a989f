import {
  componentName,
  type OpenApiDocument,
  type Parameter,
  resolve,
  type Route,
  type Schema,
} from './document.ts'
import { type CodeOptions, schemaCode } from './schema-code.ts'
import { typesOf } from './schema-keywords.ts'

const places = { path: 'params', query: 'query', header: 'headers' } as const

/**
 * The `params`, `query` and `headers` of a route's request, each a zod object over texts as they come in the
 * request; numbers and booleans go through the strict readers of src/http/wire.ts.
 * @throws when a parameter is a cookie or of a type that no reader reads
 */
export function parametersCode(document: OpenApiDocument, route: Route, options: CodeOptions): string[] {
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
  if (type === 'integer' || type === 'number') return `wire.${type}(${code})`
  if (type === 'boolean') return 'wire.boolean()'
  throw new Error(
    `${where}: a parameter is a string, an integer, a number or a boolean, not ${type || 'untyped'}`,
  )
}

/** The schema behind references, for its type and default. */
function concrete(document: OpenApiDocument, schema: Schema): Schema {
  if (!schema.$ref) return schema
  componentName(schema.$ref)
  return concrete(document, resolve<Schema>(document, { $ref: schema.$ref }))
}
