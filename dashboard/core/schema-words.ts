/** Suggestions from a JSON schema. */
import type { Place } from './yaml-place.ts'

export interface Schema {
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly type?: string | readonly string[]
}

export interface Proposal {
  readonly word: string
  readonly about: string
}

/** Maximum number of suggestions. */
const MOST = 40

/** Returns the keys and values allowed at a place that start with the typed text. */
export function proposalsFor(root: Schema, { path, kind, word }: Place): readonly Proposal[] {
  let places = spread([root])
  for (const key of path)
    places = spread(
      places.flatMap(({ properties, additionalProperties }) => {
        const found = properties?.[key] ?? additionalProperties
        return typeof found === 'object' ? [found] : []
      }),
    )
  const all = kind === 'key' ? places.flatMap(keysOf) : places.flatMap(valuesOf)
  const unique = [...new Map(all.map((each) => [each.word, each])).values()]
  const typed = word.toLowerCase()
  return unique
    .filter((each) => each.word !== word && each.word.toLowerCase().startsWith(typed))
    .slice(0, MOST)
}

/** Flattens alternatives and list items. */
const spread = (schemas: readonly Schema[]): readonly Schema[] =>
  schemas.flatMap((schema) => [
    schema,
    ...spread([
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.allOf ?? []),
      ...(schema.items ? [schema.items] : []),
    ]),
  ])

const keysOf = ({ properties = {} }: Schema): readonly Proposal[] =>
  Object.entries(properties).map(([word, { description = '' }]) => ({ word, about: description }))

const valuesOf = ({ enum: all, const: only, type, description = '' }: Schema): readonly Proposal[] => {
  const values = all ?? (only === undefined ? (type === 'boolean' ? [true, false] : []) : [only])
  return values
    .filter((value) => value !== null)
    .map((value) => ({ word: String(value), about: all ? '' : description }))
}
