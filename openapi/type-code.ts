import type { Components } from './components.ts'
import { componentName, type Literal, type Schema } from './document.ts'
import type { CodeOptions } from './schema-code.ts'
import { typesOf } from './schema-keywords.ts'

export interface TypeOptions extends CodeOptions {
  /** Whether to omit unused fields. */
  readonly used?: boolean
  /** Returns the name of a schema whose type is declared; its fields then have their descriptions. */
  readonly named?: (schema: Schema) => string | undefined
}

const documented: TypeOptions = { reference: (name) => name }

/** Returns the declarations of types.ts: every component as a plain type, for programs without validation. */
export function typesCode({ names, schemas }: Components): string {
  return names
    .map((name) => {
      const { description } = schemas[name]!
      const about = description ? `/** ${description.trim().replace(/\s*\n\s*/g, ' ')} */\n` : ''
      return `${about}export type ${name} = ${typeCode(schemas[name]!)}\n`
    })
    .join('\n')
}

/** Returns the type of a schema without faults (schema-keywords.ts). */
export function typeCode(schema: Schema, options = documented): string {
  const name = options.named?.(schema)
  if (name !== undefined) return name
  const target = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (target) return options.reference(componentName(target))
  const choices = schema.oneOf ?? schema.anyOf
  if (choices) return choices.map((choice) => typeCode(choice, options)).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const types = typesOf(schema)
  return types.length ? types.map((type) => oneType({ ...schema, type }, options)).join(' | ') : 'unknown'
}

function oneType(schema: Schema, options: TypeOptions): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return `${schema['x-also-text'] === undefined ? '' : 'string | '}readonly (${typeCode(schema.items!, options)})[]`
    case 'object':
      return objectType(schema, options)
    default:
      return 'number'
  }
}

function objectType(schema: Schema, options: TypeOptions): string {
  const { properties, additionalProperties: rest } = schema
  const required = (options.lenient && schema['x-lenient-required']) || schema.required || []
  const shown = Object.entries(properties ?? {}).filter(
    ([, property]) => !(options.used && property['x-unused'] !== undefined),
  )
  const fields = shown.map(([name, property]) => {
    const optional = !required.includes(name)
    const about = options.named && property.description ? `/** ${property.description} */\n` : ''
    return `${about}readonly ${JSON.stringify(name)}${optional ? '?' : ''}: ${typeCode(property, options)}${optional ? ' | undefined' : ''}`
  })
  for (const [pattern, each] of Object.entries(schema.patternProperties ?? {}))
    for (const place of /^\^\(([\w|]+)\)\\\.$/.exec(pattern)![1]!.split('|'))
      fields.push(`readonly [path: \`${place}.\${string}\`]: ${typeCode(each, options)} | undefined`)
  // TypeScript cannot give the remaining fields another type than the named ones.
  const others = typeof rest === 'object' && fields.length === 0 ? typeCode(rest, options) : 'unknown'
  if (rest) fields.push(`readonly [name: string]: ${others}`)
  return fields.length ? `{ ${fields.join('\n')} }` : '{ readonly [name: string]: unknown }'
}

const literal = (value: Literal) => JSON.stringify(value)
