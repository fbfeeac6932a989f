import { resolve, type Part } from '../viewer/description.ts'

/** What a schema takes, in a few words: `integer, 1 to 150`, `one of a, b`, `list of Team`. */
export function typeText(description: Part, schema: Part): string {
  const name = nameOf(schema)
  const found = resolve(description, schema)
  if (found.const !== undefined) return code(found.const)
  if (found.enum) return `one of ${found.enum.map(code).join(', ')}`
  const choices = found.oneOf ?? found.anyOf
  if (choices) return [...new Set(choices.map((each: Part) => typeText(description, each)))].join(' or ')
  const types: string[] = [found.type ?? 'any'].flat()
  return types.map((type) => ofType(description, type, found, name)).join(' or ') + limitsOf(found)
}

function ofType(description: Part, type: string, schema: Part, name: string | undefined): string {
  if (type === 'array') return `list of ${typeText(description, schema.items ?? {})}`
  if (type === 'object') return name ?? 'object'
  return schema.format && type === 'string' ? `${type} (${schema.format})` : type
}

/** Lengths are left out: hardly one of them is the service's own. */
function limitsOf(schema: Part): string {
  const { minimum, maximum, exclusiveMinimum, default: otherwise } = schema
  const limits = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    minimum === undefined && maximum !== undefined && `at most ${maximum}`,
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    otherwise !== undefined && `${code(otherwise)} when left out`,
  ]
  return limits.flatMap((each) => (each ? [`, ${each}`] : [])).join('')
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** The name that a schema has in the description; undefined for one that is written where it is used. */
const nameOf = (schema: Part): string | undefined => schema?.$ref?.replace(/^.*\//, '')
