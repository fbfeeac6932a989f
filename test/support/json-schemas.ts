import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { OpenApiDocument, Schema } from '../../openapi/document.ts'

/** What is wrong with a value, a line a fault; empty when it matches. */
export type Faults = (schema: Schema, value: unknown) => readonly string[]

/** Names the documents, of which each has an Ajv of its own. */
const ID = 'document'
const all = new WeakMap<OpenApiDocument, Faults>()

/** Checks values against schemas of a document, with objects closed. Each schema is compiled once, with its first use. */
export function jsonSchemas(document: OpenApiDocument): Faults {
  const faults = all.get(document) ?? compiler(document)
  all.set(document, faults)
  return faults
}

function compiler(document: OpenApiDocument): Faults {
  let ajv: Ajv2020 | undefined
  const compiled = new Map<Schema, ValidateFunction>()
  const compile = (schema: Schema) => {
    if (!ajv) {
      ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
      formats.default(ajv)
      const { components } = closed({ components: document.components }) as OpenApiDocument
      ajv.addSchema({ components }, ID)
      // Under its own name, a component is compiled once for all that refer to it.
      for (const [name, component] of Object.entries(components?.schemas ?? {}))
        ajv.addSchema(component as object, `${ID}#/components/schemas/${name}`)
    }
    return ajv.compile(closed(schema) as object)
  }
  return (schema, value) => {
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    return validate(value) ? [] : (validate.errors ?? []).map(line)
  }
}

const values = ['example', 'examples', 'default', 'enum', 'const']

/** The schema with its objects closed and its references absolute; values within it are left as they are. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === '$ref' && typeof value === 'string') return [key, value.replace(/^#/, `${ID}#`)]
      return [key, values.includes(key) && !isSchema(value) ? value : closed(value)]
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
