import { resolve, type Part } from './description.ts'

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
  return named ? copy : annotated(whole, copy)
}

/** Values, not descriptions: nothing in them is ours to change. */
const isData = (key: string) =>
  key === 'example' || key === 'examples' || key === 'default' || key === 'const' || key === 'enum'

function annotated(whole: Part, part: Record<string, Part>): Part {
  const { 'x-provenance': provenance, 'x-provenance-note': note, 'x-sandbox-values': values } = part
  const marked = provenance === 'observed' || provenance === 'assumed' || note !== undefined
  if (!marked && !values) return part
  const text: string = part.description ?? resolve(whole, part).description ?? ''
  const blocks = [
    marked ? marking(provenance ?? 'documented', text) : text,
    note === undefined ? '' : `<span class="provenance-note">${escape(note)}</span>`,
    values ? sandboxValues(values) : '',
  ]
  return { ...part, description: blocks.filter((block) => block !== '').join('\n\n') }
}

/** A text follows its badge on the same line; what begins another Markdown block needs a line of its own. */
function marking(word: string, text: string): string {
  const badge = `<span class="provenance provenance-${word}">${word}</span>`
  return `${badge}${/^[\w"“*`]/.test(text) ? ' ' : '\n\n'}${text}`.trimEnd()
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
