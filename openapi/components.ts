import { componentName, type OpenApiDocument, type Schema } from './document.ts'

/** The component schemas of a document, with properties that depend on their references. */
export interface Components {
  /** Names in dependency order: a schema comes after those it refers to. */
  readonly names: readonly string[]
  readonly schemas: Readonly<Record<string, Schema>>
  /** Schemas for which the profile `lenient` requires less, directly or in a referenced schema. */
  readonly lenient: ReadonlySet<string>
  /** Schemas whose type for handlers differs: lenient or with unused fields, directly or in a referenced schema. */
  readonly narrowed: ReadonlySet<string>
}

/** @throws {Error} If schemas refer to each other in a circle, or two have the same name */
export function readComponents(document: OpenApiDocument): Components {
  const schemas = (document.components?.['schemas'] ?? {}) as Readonly<Record<string, Schema>>
  const names = inOrder(schemas)
  const lenient = those(names, schemas, demandsLess)
  const narrowed = those(names, schemas, isPartlyUsed)
  for (const name of lenient)
    if (`${name}Lenient` in schemas)
      throw new Error(`${name}Lenient is the name of ${name}'s lenient variant`)
  return { names, schemas, lenient, narrowed }
}

/** @param components - names of the lenient components */
export const isLenient = (schema: Schema, components: ReadonlySet<string>): boolean =>
  holds(schema, components, demandsLess)

/** Whether the type for handlers differs from that of clients. */
export const isNarrowed = (schema: Schema, { narrowed }: Components): boolean =>
  holds(schema, narrowed, isPartlyUsed)

const isPartlyUsed = (part: Schema) =>
  part['x-lenient-required'] !== undefined || part['x-unused'] !== undefined

const demandsLess = (part: Schema) =>
  part['x-lenient-required'] !== undefined || part['x-lenient-digits'] === true

/**
 * Returns the components that match `what`, directly or in a referenced schema.
 * @param names - in dependency order
 */
function those(
  names: readonly string[],
  schemas: Readonly<Record<string, Schema>>,
  what: (schema: Schema) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>()
  for (const name of names) if (holds(schemas[name]!, found, what)) found.add(name)
  return found
}

function holds(schema: Schema, components: ReadonlySet<string>, what: (schema: Schema) => boolean): boolean {
  if (what(schema)) return true
  if (schema.$ref) return components.has(componentName(schema.$ref))
  return partsOf(schema).some((part) => holds(part, components, what))
}

function inOrder(schemas: Readonly<Record<string, Schema>>): readonly string[] {
  const done: string[] = []
  const visit = (name: string, above: readonly string[]) => {
    if (done.includes(name)) return
    if (above.includes(name))
      throw new Error(`schemas refer to each other in a circle: ${[...above, name].join(' -> ')}`)
    const schema = schemas[name]
    if (!schema) throw new Error(`there is no schema ${name}, which ${above.at(-1) ?? 'nothing'} refers to`)
    for (const target of referencesOf(schema)) visit(target, [...above, name])
    done.push(name)
  }
  for (const name of Object.keys(schemas)) visit(componentName(`#/components/schemas/${name}`), [])
  return done
}

const referencesOf = (schema: Schema): readonly string[] =>
  schema.$ref ? [componentName(schema.$ref)] : partsOf(schema).flatMap(referencesOf)

/** Returns the direct subschemas of a schema; for a reference, the reference itself. */
function partsOf(schema: Schema): readonly Schema[] {
  if (schema.$ref) return [schema]
  const rest = schema.additionalProperties
  return [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(typeof rest === 'object' ? [rest] : []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ]
}
