import { methods, resolve, type Part } from './description.ts'

/** A value that has a scripted outcome in the sandbox, as fields name them in `x-sandbox-values`. */
export interface SandboxValue {
  readonly value: string | number
  readonly scenario?: string
  readonly title?: string
}

/**
 * The description for a viewer that does not know our extensions: where a point comes from (`x-provenance`) and which
 * values have a scripted outcome (`x-sandbox-values`) are written into the texts that every viewer shows, as Markdown
 * with classes for the style sheet. `description` itself stays as it is.
 */
export function annotate(description: Part): Part {
  return visit(description, description, '')
}

/** Below these, keys are names that people chose, and may look like anything. */
const maps = new Set(['properties', 'schemas', 'responses', 'parameters', 'headers', 'callbacks', 'paths'])

function visit(whole: Part, part: Part, parent: string): Part {
  if (isData(parent)) return part
  if (Array.isArray(part)) return part.map((each) => visit(whole, each, ''))
  if (typeof part !== 'object' || part === null) return part
  const named = maps.has(parent)
  const copy = Object.fromEntries(
    Object.entries<Part>(part).map(([key, value]) => [key, visit(whole, value, named ? '' : key)]),
  )
  return named ? copy : annotated(whole, copy, parent)
}

/** Values, not descriptions: nothing in them is ours to change. */
const isData = (key: string) =>
  key === 'example' || key === 'examples' || key === 'default' || key === 'const' || key === 'enum'

function annotated(whole: Part, part: Record<string, Part>, parent: string): Part {
  const provenance = part['x-provenance']
  const marked = provenance === 'observed' || provenance === 'assumed'
  const operation = (methods as readonly string[]).includes(parent) && part.responses !== undefined
  const texts = [
    marked || part['x-provenance-note'] ? badge(provenance, part['x-provenance-note']) : '',
    part.description ?? resolve(whole, part).description ?? '',
    part['x-sandbox-values'] ? sandboxValues(part['x-sandbox-values']) : '',
  ].filter((text) => text !== '')
  return {
    ...part,
    ...((marked || texts.length > 1) && { description: join(texts) }),
    ...(operation && marked && { 'x-badges': [{ name: provenance, position: 'after' }] }),
  }
}

/** A short text follows its badge on the same line; Markdown blocks need lines of their own. */
const join = (texts: readonly string[]) => {
  const [first = '', ...rest] = texts
  const inline = first.startsWith('<span') && rest[0] !== undefined && /^[\w"“*`]/.test(rest[0])
  return inline ? [`${first} ${rest[0]}`, ...rest.slice(1)].join('\n\n') : texts.join('\n\n')
}

function badge(provenance: string | undefined, note: string | undefined): string {
  const word = provenance ?? 'documented'
  const reason = note ? ` <span class="provenance-note">${escape(note)}</span>` : ''
  return `<span class="provenance provenance-${word}">${word}</span>${reason}`
}

function sandboxValues(values: readonly SandboxValue[]): string {
  const rows = values.map(({ value, scenario, title }) => {
    const outcome = [title && cell(title), scenario && `\`${cell(scenario)}\``].filter(Boolean).join(' · ')
    return `| \`${cell(String(value))}\` | ${outcome} |`
  })
  const table = ['| Send | What happens |', '|---|---|', ...rows].join('\n')
  const count = values.length === 1 ? 'one value' : `${values.length} values`
  return `<details class="sandbox-values">\n<summary>In the sandbox: ${count} with an outcome of their own</summary>\n\n${table}\n\n</details>`
}

const cell = (text: string) => escape(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
