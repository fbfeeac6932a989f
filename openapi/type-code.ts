import type { Components } from './components.ts'
import { componentName, type Literal, type Schema } from './document.ts'
import { typesOf } from './schema-keywords.ts'

/** The declarations of types.ts: every component as a plain type, for programs that check nothing. */
export function typesCode({ names, schemas }: Components): string {
  return names
    .map((name) => {
      const { description } = schemas[name]! as { description?: string }
      const about = description ? `/** ${description.trim().replace(/\s*\n\s*/g, ' ')} */\n` : ''
      return `${about}export type ${name} = ${typeCode(schemas[name]!)}\n`
    })
    .join('\n')
}

/**
 * The type of a schema that has no faults (schema-keywords.ts).
 * @param from what stands before the names of components
 */
export function typeCode(schema: Schema, from = ''): string {
  const target = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (target) return from + componentName(target)
  if (schema.oneOf) return schema.oneOf.map((each) => typeCode(each, from)).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const types = typesOf(schema)
  return types.length ? types.map((type) => oneType({ ...schema, type }, from)).join(' | ') : 'unknown'
}

function oneType(schema: Schema, from: string): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return `readonly (${typeCode(schema.items!, from)})[]`
    case 'object':
      return objectType(schema, from)
    default:
      return 'number'
  }
}

function objectType({ properties, required = [], additionalProperties: rest }: Schema, from: string): string {
  const fields = Object.entries(properties ?? {}).map(([name, property]) => {
    const optional = !required.includes(name)
    return `readonly ${JSON.stringify(name)}${optional ? '?' : ''}: ${typeCode(property, from)}${optional ? ' | undefined' : ''}`
  })
  // Beside fields of other types, what the rest is cannot be said.
  const others = typeof rest === 'object' && fields.length === 0 ? typeCode(rest, from) : 'unknown'
  if (rest) fields.push(`readonly [name: string]: ${others}`)
  return fields.length ? `{ ${fields.join('; ')} }` : '{ readonly [name: string]: unknown }'
}

const literal = (value: Literal) => JSON.stringify(value)
