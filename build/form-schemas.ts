/** The schemas of requests for the dashboard's forms. */
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import type { FormSchema } from '../dashboard/core/form.ts'
import { lazy } from '../src/lib/lazy.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly (string | number)[]
  readonly pattern?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly minLength?: number
  readonly default?: unknown
  /** Whether a list may also be sent as a text of this length. */
  readonly 'x-also-text'?: number
}

type Description = Readonly<Record<string, unknown>> & {
  readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } }
}

/**
 * Resolves imports such as `schema:createApiKey?name,role_id` to these fields of the operation's request, reduced to
 * what a form needs.
 */
export const formSchemas: Plugin = {
  name: 'form schemas',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^schema:/ }, ({ path }) => ({ path, namespace: 'schema' }))
    const descriptions = lazy(() =>
      Promise.all(
        ['control', 'service'].map(
          async (of) => JSON.parse(await readFile(`src/generated/${of}/openapi.json`, 'utf8')) as Description,
        ),
      ),
    )
    onLoad({ filter: /.*/, namespace: 'schema' }, async ({ path }) => {
      const [operation, names = ''] = path.slice('schema:'.length).split('?')
      for (const description of await descriptions()) {
        const schema = requestOf(description, operation!)
        if (schema) return { contents: JSON.stringify(picked(description, schema, names)), loader: 'json' }
      }
      return { errors: [{ text: `${operation} is not an operation with a request body` }] }
    })
  },
}

function requestOf(description: Description, operation: string): Schema | undefined {
  const found = Object.values(description.paths)
    .flatMap((methods) => Object.values(methods))
    .find((each) => (each as { operationId?: string }).operationId === operation)
  const { requestBody } = (found ?? {}) as { requestBody?: { $ref?: string } }
  const body = requestBody && (follow(description, requestBody) as unknown as { content?: object })
  const [content] = Object.values(body?.content ?? {}) as { schema: Schema }[]
  return content?.schema
}

/** Resolves references, and single alternatives that only add a description. */
function follow(description: Description, schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    const path = schema.$ref.slice(2).split('/')
    const target = path.reduce((at, name) => (at as Record<string, unknown>)[name], description as unknown)
    return follow(description, target as Schema)
  }
  const [only, ...others] = schema.allOf ?? []
  return only && others.length === 0 ? { ...follow(description, only), ...schema, allOf: [] } : schema
}

function picked(description: Description, schema: Schema, names: string): FormSchema {
  const whole = formOf(description, schema, true)
  const chosen = names.split(',').filter(Boolean)
  const missing = chosen.filter((name) => !whole.fields?.[name])
  if (missing.length > 0) throw new Error(`The request has no field ${missing.join(', ')}`)
  return chosen.length === 0
    ? whole
    : { ...whole, fields: Object.fromEntries(chosen.map((name) => [name, whole.fields![name]!])) }
}

/** The words of a pattern that only has alternatives, such as `^(?:[Kk][Ee]|[Tt][Zz])$`. */
const wordsOf = (pattern = ''): readonly string[] | undefined =>
  /^\^\(\?:([\w[\]|-]+)\)\$$/
    .exec(pattern)?.[1]
    ?.replace(/\[(\w)\w\]/g, '$1')
    .split('|')

function formOf(description: Description, given: Schema, required: boolean): FormSchema {
  const schema = follow(description, given)
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((each) =>
    follow(description, each),
  )
  const types = [schema.type ?? alternatives.map(({ type }) => type ?? [])].flat(2)
  const shapes = alternatives.filter(({ type }) => type === 'object')
  const main = shapes.length === 1 ? shapes[0]! : schema
  const { description: help, examples, maximum, minimum } = schema
  const example = schema.default ?? examples?.[0]
  const values = schema.enum?.filter((each) => each !== null) ?? wordsOf(schema.pattern)
  const shared = {
    ...(help !== undefined && { help }),
    ...(['string', 'number'].includes(typeof example) && { example: String(example) }),
    ...(required && { required }),
    ...(types.includes('null') && { nullable: true }),
    ...(minimum !== undefined && Math.abs(minimum) < 2 ** 31 && { min: minimum }),
    ...(maximum !== undefined && Math.abs(maximum) < 2 ** 31 && { max: maximum }),
    ...(schema.maxLength !== undefined && { max: schema.maxLength }),
    ...((schema.minLength ?? 0) > 1 && { min: schema.minLength! }),
    ...(values && { values }),
  }
  const fieldsOf = ({ properties = {}, required: needed = [] }: Schema, isNeeded = true) =>
    Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [
        name,
        formOf(description, each, isNeeded && needed.includes(name)),
      ]),
    )
  if (types.includes('string') || schema['x-also-text'] !== undefined) return { ...shared, kind: 'text' }
  if (types.includes('object')) return { ...shared, kind: 'object', fields: fieldsOf(main, required) }
  if (types.includes('array')) {
    const items = follow(description, schema.items!)
    if (items.type !== 'object') return { ...shared, kind: 'list' }
    return { ...shared, kind: 'rows', fields: fieldsOf(items) }
  }
  const isNumber = types.includes('number') || types.includes('integer')
  return { ...shared, kind: isNumber ? 'number' : types.includes('boolean') ? 'boolean' : 'text' }
}
