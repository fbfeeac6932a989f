import { componentName, type Literal, type Schema } from './document.ts'
import { typesOf } from './schema-keywords.ts'
import type { Components } from './components.ts'

export interface CodeOptions {
  /** Returns the expression for a component schema. */
  readonly reference: (name: string) => string
  /** Whether `x-lenient-required` replaces `required`, and `x-lenient-digits` applies. */
  readonly lenient?: boolean
}

/**
 * Returns the zod expression of a schema without faults (schema-keywords.ts). As in JSON Schema, `default` is an
 * annotation; only parameters apply it (route-code.ts).
 */
export function schemaCode(schema: Schema, options: CodeOptions): string {
  const target = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (target) return options.reference(componentName(target))
  if (schema.oneOf) return union(schema.oneOf.map((choice) => schemaCode(choice, options)))
  if (schema.const !== undefined) return `z.literal(${JSON.stringify(schema.const)})`
  if (schema.enum) return enumCode(schema.enum)
  const types = typesOf(schema)
  if (!types.length) return 'z.unknown()'
  const some = types.filter((type) => type !== 'null')
  if (!some.length) return 'z.null()'
  const code = union(some.map((type) => typeCode({ ...schema, type }, options)))
  return some.length < types.length ? `${code}.nullable()` : code
}

function typeCode(schema: Schema, options: CodeOptions): string {
  switch (schema.type) {
    case 'string':
      return stringCode(schema)
    case 'integer':
      return integerCode(schema, options)
    case 'number':
      return `z.number()${limitsCode(schema)}`
    case 'boolean':
      return 'z.boolean()'
    case 'array':
      return arrayCode(schema, options)
    case 'object':
      return objectCode(schema, options) + mapLimitsCode(schema)
    default:
      throw new Error(`no code for type ${String(schema.type)}`)
  }
}

function arrayCode(schema: Schema, options: CodeOptions): string {
  const code = `z.array(${schemaCode(schema.items!, options)})${call('min', schema.minItems)}${call('max', schema.maxItems)}`
  const text = schema['x-also-text']
  return text === undefined ? code : union([`z.string()${call('max', text)}`, code])
}

const stringFormats: Readonly<Record<string, string>> = {
  'date-time': 'z.iso.datetime({ offset: true }).max(40)',
  date: 'z.iso.date()',
  uri: 'z.url({ protocol: /^https?$/ })',
  // Accepts all addresses of the format, including internationalised ones (RFC 6531).
  email:
    'z.email({ pattern: /^[^\\s\\p{C}@<>()[\\],;:\\\\".]+(?:\\.[^\\s\\p{C}@<>()[\\],;:\\\\".]+)*@(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]*[\\p{L}\\p{N}\\p{M}])?\\.)+[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]*[\\p{L}\\p{N}\\p{M}])?$/u })',
  uuid: 'z.uuid()',
}

function stringCode(schema: Schema): string {
  const base = schema.format === undefined ? 'z.string()' : stringFormats[schema.format]!
  const words = schema['x-must'] === undefined ? '' : `, ${JSON.stringify(schema['x-must'])}`
  const pattern =
    schema.pattern === undefined ? '' : `.regex(${String(new RegExp(schema.pattern, 'u'))}${words})`
  return `${base}${call('min', schema.minLength)}${call('max', schema.maxLength)}${pattern}`
}

/** Enforces formats that client generators rely on. */
const int32: Schema = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

function integerCode(schema: Schema, options: CodeOptions): string {
  const code = `z.int()${limitsCode(schema.format === 'int32' ? { ...int32, ...schema } : schema)}`
  return options.lenient && schema['x-lenient-digits'] ? `read.integerOrDigits(${code})` : code
}

const limitsCode = (schema: Schema) =>
  call('min', schema.minimum) +
  call('max', schema.maximum) +
  call('gt', schema.exclusiveMinimum) +
  call('lt', schema.exclusiveMaximum)

/** Objects drop unknown fields unless their schema mentions additional ones. */
function objectCode(schema: Schema, options: CodeOptions): string {
  const rest = schema.additionalProperties
  const restCode = typeof rest === 'object' ? schemaCode(rest, options) : 'z.unknown()'
  if (!schema.properties && rest !== false)
    return `z.record(z.string()${call('max', schema.propertyNames?.maxLength)}, ${restCode})`
  const required = (options.lenient && schema['x-lenient-required']) || schema.required || []
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, property]) =>
      `${JSON.stringify(name)}: ${schemaCode(property, options)}${required.includes(name) ? '' : '.optional()'}`,
  )
  const shape = `{ ${fields.join(', ')} }`
  if (rest === undefined) return `z.object(${shape})`
  if (rest === false) return `z.strictObject(${shape})`
  return rest === true ? `z.looseObject(${shape})` : `z.object(${shape}).catchall(${restCode})`
}

/** Records enforce the length of their names. */
function mapLimitsCode({ properties, maxProperties, propertyNames }: Schema): string {
  const most = propertyNames?.maxLength
  const size =
    maxProperties === undefined
      ? ''
      : `.refine((map) => Object.keys(map).length <= ${maxProperties}, 'must have at most ${maxProperties} fields')`
  if (!properties || most === undefined) return size
  return `${size}.refine((map) => Object.keys(map).every((name) => name.length <= ${most}), 'must have names of at most ${most} characters')`
}

function enumCode(values: readonly Literal[]): string {
  const list = `[${values.map((value) => JSON.stringify(value)).join(', ')}]`
  return values.every((value) => typeof value === 'string') ? `z.enum(${list})` : `z.literal(${list})`
}

const union = (choices: readonly string[]) =>
  choices.length === 1 ? choices[0]! : `z.union([${choices.join(', ')}])`

const call = (method: string, value: number | undefined) =>
  value === undefined ? '' : `.${method}(${value})`

/**
 * Returns the declarations of schemas.ts: every component and its lenient variant, if any. Each schema is created on
 * first use: creating all would take longer than the rest of a start.
 * @param lazy - the import path of src/lib/lazy.ts
 * @param http - the import path of src/http
 */
export function componentCode({ names, schemas, lenient }: Components, lazy: string, http: string): string {
  const declaration = (name: string, source: string, options: CodeOptions) =>
    `export const ${name} = lazy(() => ${schemaCode(schemas[source]!, options)})\n`
  const declarations = names.map((name) => {
    const documented = declaration(name, name, { reference: (target) => `${target}()` })
    if (!lenient.has(name)) return documented
    return `${documented}\n${declaration(`${name}Lenient`, name, { reference: (target) => `${lenientName(lenient)(target)}()`, lenient: true })}`
  })
  const code = declarations.join('\n')
  const readers = /\bread\.\w/.test(code) ? `import * as read from '${http}/parameter-readers.ts'\n` : ''
  return `import * as z from 'zod'\n${readers}import { lazy } from '${lazy}'\n\n${code}`
}

/** Returns the name of a component in files that import schemas.ts as `schemas`. */
export function fromSchemas(components: Components, lenient = false): CodeOptions {
  const name = lenient ? lenientName(components.lenient) : (target: string) => target
  return { reference: (target) => `schemas.${name(target)}()`, lenient }
}

const lenientName = (lenient: ReadonlySet<string>) => (target: string) =>
  lenient.has(target) ? `${target}Lenient` : target
