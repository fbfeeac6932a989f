import { resolve, type Part } from '../viewer/description.ts'
import { tableOf } from './table.ts'
import { typeText } from './type-text.ts'

/** How far fields within fields are listed. */
const DEPTH = 4

interface Row {
  readonly name: string
  readonly schema: Part
  readonly required: boolean
}

/** The fields of a body, those within them by their path: `provider_config.network_id`, `teams[].id`. */
export function fieldTable(description: Part, schema: Part, required: 'said' | 'left out'): string {
  const rows = fieldsOf(description, schema, '', DEPTH)
  if (rows.length === 0) return ''
  const isSaid = required === 'said'
  return tableOf([
    isSaid ? ['Field', 'Type', 'Required', 'What it is'] : ['Field', 'Type', 'What it is'],
    ...rows.map((row) => [
      `\`${row.name}\``,
      typeText(description, row.schema),
      ...(isSaid ? [row.required ? 'yes' : ''] : []),
      about(description, row.schema),
    ]),
  ])
}

function fieldsOf(description: Part, part: Part, path: string, depth: number): Row[] {
  const schema = resolve(description, part)
  if (depth === 0) return []
  if (schema.items) return fieldsOf(description, schema.items, `${path}[]`, depth)
  const choices: Part[] = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? []
  const own = Object.entries<Part>(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = path === '' ? key : `${path}.${key}`
    const row = { name, schema: field, required: schema.required?.includes(key) === true }
    return [row, ...fieldsOf(description, field, name, depth - 1)]
  })
  const named = new Set(own.map(({ name }) => name))
  return [
    ...own,
    ...choices
      .flatMap((each) => fieldsOf(description, each, path, depth))
      .filter(({ name }) => !named.has(name) && named.add(name)),
  ]
}

/** What a part of the description says of itself, in one line, and how sure it is. */
export function about(description: Part, part: Part): string {
  const found = { ...resolve(description, part), ...part }
  const { description: text = '', 'x-provenance': word, 'x-provenance-note': note } = found
  const values: number = found['x-sandbox-values']?.length ?? 0
  return [
    text,
    values > 0 && `${values} values have an outcome of their own: see below.`,
    word && word !== 'documented' && `*${word}*${note ? `: ${note}` : ''}`,
    !word && note,
  ]
    .filter(Boolean)
    .join(' ')
    .trim()
}
