import { proseOf, type Prose } from '../guides/prose.ts'
import type { SandboxValue } from '../viewer/annotate.ts'
import { resolve, type Part } from '../viewer/description.ts'

/** A field of a request, or a parameter, with all that is said of it. */
export interface Field {
  /** Where it is, such as `payment_config.reference`; `[]` stands for each item of a list. */
  readonly name: string
  /** `string`, `number`, `integer`, `boolean`, `object` or `array`. */
  readonly type: string
  readonly required?: true
  /** What else it has to be, in words: `at most 32 characters`. */
  readonly rules?: readonly string[]
  /** All that it may be. */
  readonly options?: readonly (string | number)[]
  readonly about?: Prose
  /** How sure it is, where the service's documentation does not say it. */
  readonly sure?: 'observed' | 'assumed'
  readonly note?: string
  /** What leads to an outcome of its own in the sandbox. */
  readonly values?: readonly SandboxValue[]
  readonly example?: unknown
}

/** The fields of an object, those of objects in it behind them. @param before what stands before their names, such as `customer.` */
export function fieldsOf(description: Part, schema: Part, before = ''): Field[] {
  const { properties = {}, required = [] } = resolve(description, schema) ?? {}
  return Object.entries<Part>(properties).flatMap(([key, part]) =>
    fieldOf(description, part, before + key, required.includes(key)),
  )
}

/** A field by its schema, and those below it. */
export function fieldOf(description: Part, part: Part, name: string, required: boolean): Field[] {
  const schema = { ...resolve(description, part), ...part }
  const type = typeOf(schema)
  const field: Field = {
    name,
    type,
    ...(required && { required }),
    ...some('rules', rulesOf(schema)),
    ...some('options', schema.enum ?? []),
    ...(schema.description && { about: proseOf(schema.description) }),
    ...sureness(schema),
    ...some('values', schema['x-sandbox-values'] ?? []),
    ...('examples' in schema && type !== 'object' && { example: schema.examples[0] }),
  }
  if (type === 'array' && schema.items) {
    const items = resolve(description, schema.items)
    return [field, ...(items.properties ? fieldsOf(description, items, `${name}[].`) : [])]
  }
  return [field, ...fieldsOf(description, schema, `${name}.`)]
}

const some = <Key extends string, Item>(key: Key, items: readonly Item[]) =>
  (items.length > 0 ? { [key]: items } : {}) as { readonly [name in Key]?: readonly Item[] }

function typeOf({ type, properties }: Part): string {
  const types = [type ?? (properties ? 'object' : 'any')].flat().filter((each: string) => each !== 'null')
  return types.join(' or ')
}

/** How sure something is, for all but what the service's documentation says. */
export function sureness(part: Part): Pick<Field, 'sure' | 'note'> {
  const { 'x-provenance': sure, 'x-provenance-note': note } = part
  if (sure !== 'observed' && sure !== 'assumed') return {}
  return { sure, ...(note && { note }) }
}

/** In words, what JSON Schema says of a value. */
function rulesOf(schema: Part): string[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const words: readonly (readonly [value: unknown, words: string])[] = [
    [schema.const, `always ${JSON.stringify(schema.const)}`],
    [minLength, `at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}`],
    [maxLength, `at most ${maxLength} characters`],
    [minimum, `from ${minimum}`],
    [maximum, `up to ${maximum}`],
    [exclusiveMinimum, `more than ${exclusiveMinimum}`],
    [exclusiveMaximum, `less than ${exclusiveMaximum}`],
    [schema.pattern, `of the form ${schema.pattern}`],
    [schema.minItems, `at least ${schema.minItems} items`],
    [schema.maxItems, `at most ${schema.maxItems} items`],
    [schema.default, `${JSON.stringify(schema.default)} when left out`],
    [FORMATS[schema.format], FORMATS[schema.format] ?? ''],
  ]
  return words.flatMap(([value, text]) => (value === undefined ? [] : [text]))
}

/** Of formats, those that a reader has to know. */
const FORMATS: { readonly [format: string]: string } = {
  'date-time': 'a time such as 2026-06-30T00:44:53Z',
  date: 'a day such as 2026-06-30',
  email: 'an e-mail address',
  uri: 'an address',
}
