import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { OpenApiDocument, Schema } from '../../openapi/document.ts'

/** What is wrong with a value, a line a fault; empty when it matches. */
export type Faults = (schema: Schema, value: unknown) => readonly string[]

/**
 * Checks values against schemas of a document, with objects closed. Everything is compiled when it is first used, and
 * once.
 * @param id a name of its own for each document
 */
export function jsonSchemas(document: OpenApiDocument, id: string): Faults {
  let ajv: Ajv2020 | undefined
  const compiled = new Map<Schema, ValidateFunction>()
  const compile = (schema: Schema) => {
    if (!ajv) {
      ajv = new Ajv2020({ strict: false, allErrors: true })
      formats.default(ajv)
      ajv.addSchema(closed({ components: document.components }, id) as object, id)
    }
    return ajv.compile(closed(schema, id) as object)
  }
  return (schema, value) => {
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    return validate(value) ? [] : (validate.errors ?? []).map(line)
  }
}

const values = ['example', 'examples', 'default', 'enum', 'const']

/** The schema with its objects closed and its references absolute; values within it are left as they are. */
function closed(node: unknown, id: string): unknown {
  if (Array.isArray(node)) return node.map((item) => closed(item, id))
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === '$ref' && typeof value === 'string') return [key, value.replace(/^#/, `${id}#`)]
      return [key, values.includes(key) && !isSchema(value) ? value : closed(value, id)]
    }),
  )
  const isObject = 'properties' in copy && [copy['type']].flat().includes('object')
  return isObject && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy
}

/** Whether what stands under `default` or `example` is a property of that name and not a value. */
const isSchema = (value: unknown) =>
  typeof value === 'object' && value !== null && ('type' in value || '$ref' in value)

function line({ instancePath, message, params, keyword }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as Record<string, unknown>
  const detail = additionalProperty ?? (allowedValues as readonly unknown[] | undefined)?.join(', ')
  const said = keyword === 'additionalProperties' ? 'has a field that is not described' : message
  return `${instancePath || 'the body'} ${said}${detail === undefined ? '' : `: ${String(detail)}`}`
}
