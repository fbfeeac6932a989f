import { componentName, type OpenApiDocument, type Schema } from './document.ts'

/** The component schemas of a document, and what follows from how they refer to each other. */
export interface Components {
  /** Names in dependency order: a schema comes after those it refers to. */
  readonly names: readonly string[]
  readonly schemas: Readonly<Record<string, Schema>>
  /** Those for which the profile `lenient` demands less, themselves or in what they refer to. */
  readonly lenient: ReadonlySet<string>
}

/** @throws when schemas refer to each other in a circle, or a name is taken twice */
export function readComponents(document: OpenApiDocument): Components {
  const schemas = (document.components?.['schemas'] ?? {}) as Readonly<Record<string, Schema>>
  const names = inOrder(schemas)
  const lenient = new Set<string>()
  for (const name of names) if (isLenient(schemas[name]!, lenient)) lenient.add(name)
  for (const name of lenient)
    if (`${name}Lenient` in schemas)
      throw new Error(`${name}Lenient is the name of ${name}'s lenient variant`)
  return { names, schemas, lenient }
}

/** Whether the profile `lenient` demands less of this schema, given the components of which it does. */
export function isLenient(schema: Schema, components: ReadonlySet<string>): boolean {
  if (schema['x-lenient-required']) return true
  return partsOf(schema).some((part) =>
    part.$ref ? components.has(componentName(part.$ref)) : isLenient(part, components),
  )
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

/** The schemas directly within a schema; itself when it is a reference. */
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
