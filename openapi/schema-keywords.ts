import type { JsonType, Schema } from './document.ts'

const annotations = ['title', 'description', 'default', 'example', 'examples']
const markers = ['deprecated', 'readOnly', 'writeOnly']
const literals = ['enum', 'const']
const limits = ['format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']

/** The keywords that the generator supports, by type. */
const byType: Readonly<Record<JsonType, readonly string[]>> = {
  string: ['format', 'pattern', 'minLength', 'maxLength'],
  integer: limits,
  number: limits,
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties', 'maxProperties', 'propertyNames'],
  null: [],
}

const known = new Set([
  'type',
  '$ref',
  'oneOf',
  'allOf',
  ...annotations,
  ...markers,
  ...literals,
  ...Object.values(byType).flat(),
])

/** The sizes of numbers: without one, client generators choose too small a type, or text. */
const numberFormats: Readonly<Partial<Record<JsonType, readonly string[]>>> = {
  integer: ['int32', 'int64'],
  number: ['double'],
}
const formats = ['date-time', 'date', 'uri', 'email', 'uuid']
/** Formats with a fixed length. */
const formatsOfOneLength = ['date-time', 'date', 'uuid']

export interface Fault {
  /** The invalid keyword, if the fault is not in the schema as a whole. */
  readonly keyword?: string
  readonly message: string
}

/** Returns the parts of a schema, without its subschemas, that the generator cannot turn into code. */
export function schemaFaults(schema: Schema): readonly Fault[] {
  const faults: Fault[] = []
  const fitting = fittingKeywords(schema)
  for (const keyword of Object.keys(schema)) {
    if (keyword.startsWith('x-')) continue
    if (!known.has(keyword)) faults.push({ keyword, message: `unknown schema keyword "${keyword}"` })
    else if (!fitting.keywords.has(keyword))
      faults.push({ keyword, message: `"${keyword}" means nothing ${fitting.where}` })
  }
  return [...faults, ...shapeFaults(schema)]
}

/** Returns the keywords that may accompany the one that defines the schema: a reference, a union, literals or a type. */
function fittingKeywords(schema: Schema): { keywords: ReadonlySet<string>; where: string } {
  const alone = ['$ref', 'oneOf', 'allOf'].find((keyword) => keyword in schema)
  const only = (...keywords: string[]) => new Set([...keywords, ...annotations, ...markers])
  if (alone) return { keywords: only(alone), where: `beside "${alone}"` }
  const literal = literals.find((keyword) => keyword in schema)
  if (literal) return { keywords: only('type', 'format', literal), where: `beside "${literal}"` }
  const types = typesOf(schema)
  const where = types.length ? `for type ${types.join(' or ')}` : 'without a type'
  return { keywords: only('type', ...types.flatMap((type) => byType[type] ?? [])), where }
}

function shapeFaults(schema: Schema): readonly Fault[] {
  const faults: Fault[] = []
  const fault = (keyword: string | undefined, message: string) =>
    faults.push(keyword ? { keyword, message } : { message })

  if (schema.allOf && !(schema.allOf.length === 1 && isBareReference(schema.allOf[0]!)))
    fault('allOf', 'allOf may hold one $ref and nothing else; write the properties out')
  const types = typesOf(schema)
  const number = types.includes('string') ? [] : types.flatMap((type) => numberFormats[type] ?? [])
  const fitting = number.length > 0 ? number : formats
  if (schema.format !== undefined && !fitting.includes(schema.format))
    fault('format', `unknown format "${schema.format}"; known are ${fitting.join(', ')}`)
  if (needsLength(schema)) fault(undefined, 'a string needs "maxLength", or "x-unbounded" that says why not')
  if (typesOf(schema).includes('array') && !schema.items) fault(undefined, 'an array needs "items"')
  if (typesOf(schema).includes('object')) {
    if (!schema.properties && schema.additionalProperties === undefined)
      fault(undefined, 'an object needs "properties" or "additionalProperties"')
    for (const name of schema.required ?? [])
      if (!(name in (schema.properties ?? {})))
        fault('required', `"${name}" is required but not among the properties`)
  }
  if ('x-unused' in schema && !/\w/.test(String(schema['x-unused'] ?? '')))
    fault('x-unused', 'x-unused says in words why nothing depends on the field')
  if (schema['x-lenient-digits'] && schema.type !== 'integer')
    fault('x-lenient-digits', 'x-lenient-digits is for integers')
  if ('x-also-text' in schema && !(schema.type === 'array' && Number.isInteger(schema['x-also-text'])))
    fault('x-also-text', 'x-also-text is for arrays, and says how long the text may be')
  for (const name of schema['x-lenient-required'] ?? [])
    if (!schema.required?.includes(name))
      fault('x-lenient-required', `"${name}" is required by lenient but not by documented`)
  return faults
}

/** Requires a length for texts: without it, one request could use any amount of memory. */
const needsLength = (schema: Schema) =>
  typesOf(schema).includes('string') &&
  schema.maxLength === undefined &&
  schema.enum === undefined &&
  schema.const === undefined &&
  schema['x-unbounded'] === undefined &&
  !formatsOfOneLength.includes(schema.format ?? '')

const isBareReference = (schema: Schema) => '$ref' in schema && Object.keys(schema).length === 1

/** Returns the types of a schema as a list. */
export function typesOf(schema: Schema): readonly JsonType[] {
  if (schema.type === undefined) return []
  return typeof schema.type === 'string' ? [schema.type] : schema.type
}
