/** Walks the request bodies of a description, so that tests cover operations that are still to come. */
import { type OpenApiDocument, resolve, type Schema } from '../../openapi/document.ts'

export type Path = readonly (string | number)[]

export type Profile = 'documented' | 'lenient'

interface Part {
  readonly path: Path
  readonly schema: Schema
  readonly required: boolean
}

/** Every property of an object that the value has, however deep, and whether the profile requires it. */
export function partsOf(
  document: OpenApiDocument,
  reference: Schema,
  value: unknown,
  profile: Profile,
): Part[] {
  const schema = plain(document, reference)
  if (Array.isArray(value))
    return schema.items && value.length > 0
      ? partsOf(document, schema.items, value[0], profile).map((part) => ({
          ...part,
          path: [0, ...part.path],
        }))
      : []
  if (typeof value !== 'object' || value === null || !schema.properties) return []
  const required = (profile === 'lenient' && schema['x-lenient-required']) || (schema.required ?? [])
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = schema.properties![name]
    if (!property) return []
    const own = { path: [name], schema: plain(document, property), required: required.includes(name) }
    const deeper = partsOf(document, property, inner, profile)
    return [own, ...deeper.map((part) => ({ ...part, path: [name, ...part.path] }))]
  })
}

function plain(document: OpenApiDocument, reference: Schema): Schema {
  const schema = reference.$ref ? resolve<Schema>(document, reference as { $ref: string }) : reference
  return schema.allOf?.length === 1 ? plain(document, schema.allOf[0]!) : schema
}

/** A copy of the value with another one at the path; undefined takes it out. */
export function changed(value: unknown, path: Path, put: unknown): unknown {
  const copy = structuredClone(value)
  let holder = copy as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) holder = holder[key] as typeof holder
  const last = path.at(-1)!
  if (put === undefined) delete holder[last]
  else holder[last] = put
  return copy
}

/** As refusals name it, e.g. `payment_config.reference` or `items[0].id`. */
export const named = (path: Path) =>
  path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name ? `${name}.${key}` : key),
    '',
  )
