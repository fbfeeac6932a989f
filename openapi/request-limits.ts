import { type OpenApiDocument, type RequestBody, resolve, operationsOf, type Schema } from './document.ts'
import { typesOf } from './schema-keywords.ts'

/** Lists and maps of request bodies that have no limit, by where they are: `#/components/schemas/Order/properties/ids: …`. */
export function endlessParts(document: OpenApiDocument): readonly string[] {
  const seen = new Set<Schema>()
  const found: string[] = []
  const visit = (schema: Schema, place: string): void => {
    if (schema.$ref) return visit(resolve<Schema>(document, { $ref: schema.$ref }), schema.$ref)
    if (seen.has(schema)) return
    seen.add(schema)
    found.push(...faultsOf(schema).map((fault) => `${place}: ${fault}`))
    for (const [name, inner] of Object.entries(schema.properties ?? {}))
      visit(inner, `${place}/properties/${name}`)
    if (schema.items) visit(schema.items, `${place}/items`)
    if (typeof schema.additionalProperties === 'object')
      visit(schema.additionalProperties, `${place}/additionalProperties`)
    for (const [n, inner] of [...(schema.oneOf ?? []), ...(schema.allOf ?? [])].entries())
      visit(inner, `${place}/${n}`)
  }
  for (const { id, operation } of operationsOf(document)) {
    const body = operation.requestBody && resolve<RequestBody>(document, operation.requestBody)
    for (const [type, { schema }] of Object.entries(body?.content ?? {}))
      if (schema) visit(schema, `${id} ${type}`)
  }
  return found
}

function faultsOf(schema: Schema): readonly string[] {
  const faults: string[] = []
  if (typesOf(schema).includes('array') && schema.maxItems === undefined)
    faults.push('an array of a request needs "maxItems"')
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  if (open && (schema.maxProperties === undefined || schema.propertyNames?.maxLength === undefined))
    faults.push('a map of a request needs "maxProperties", and "maxLength" of its "propertyNames"')
  return faults
}
