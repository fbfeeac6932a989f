import type { z } from 'zod'
import { type OpenApiDocument, resolve, type Schema } from '../../openapi/document.ts'

type Described = Schema & { readonly description?: string }

/** A schema within a component, with the part of the generated schema that was made of it. */
export interface SchemaPart {
  readonly where: string
  readonly schema: Schema
  /** Its description, or that of the component it refers to. */
  readonly description: string | undefined
  readonly reader: z.ZodType
}

/** The names of a document's component schemas. */
export const componentNames = (document: OpenApiDocument) =>
  Object.keys(document.components?.['schemas'] ?? {})

/** A component schema, its properties and items down to the next reference. */
export function schemaParts(
  document: OpenApiDocument,
  name: string,
  reader: z.ZodType,
): readonly SchemaPart[] {
  const parts: SchemaPart[] = []
  const visit = (where: string, schema: Described, part: z.ZodType) => {
    const target = schema.$ref ? resolve<Described>(document, { $ref: schema.$ref }) : undefined
    parts.push({ where, schema, description: schema.description ?? target?.description, reader: part })
    const inner = unwrap(part, schema)
    for (const [key, property] of Object.entries(schema.properties ?? {}))
      visit(`${where}.${key}`, property, inner.shape![key]!)
    if (schema.items) visit(`${where}[]`, schema.items, inner.element!)
  }
  visit(name, document.components!['schemas']![name] as Described, reader)
  return parts
}

type Wrapped = z.ZodType & {
  readonly unwrap?: () => Wrapped
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly options?: readonly Wrapped[]
}

/** The schema within `.optional()` and `.nullable()`; of a list that one text may stand for, that of the list. */
function unwrap(reader: z.ZodType, schema: Schema): Wrapped {
  const wrapped = reader as Wrapped
  if (['optional', 'nullable'].includes(wrapped.def.type)) return unwrap(wrapped.unwrap!(), schema)
  return schema['x-also-text'] === undefined ? wrapped : wrapped.options!.find(({ element }) => element)!
}
