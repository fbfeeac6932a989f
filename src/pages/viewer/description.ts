/** A part of an OpenAPI description. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any JSON; the description was checked when it was generated
export type Part = any

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

export interface Operation {
  readonly path: string
  readonly method: (typeof methods)[number]
  readonly operation: Part
}

/** Returns the operations of a description or callback in its order. */
export function operationsOf(paths: Part): Operation[] {
  return Object.entries<Part>(paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  )
}

export const operationIdsOf = (description: Part): readonly string[] =>
  operationsOf(description.paths).map(({ operation }) => operation.operationId as string)

/** Resolves a `$ref` within the description. */
export function resolve(description: Part, part: Part): Part {
  if (typeof part?.$ref !== 'string') return part
  const found = part.$ref
    .slice(2)
    .split('/')
    .reduce((at: Part, key: string) => at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], description)
  if (found === undefined) throw new Error(`the description has nothing at ${part.$ref}`)
  return found
}

/** Returns the parameters of a path and of its operation. */
export const parametersOf = (
  description: Part,
  { path, operation }: Pick<Operation, 'path' | 'operation'>,
): readonly Part[] =>
  [...(description.paths[path].parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
    resolve(description, each),
  )

/** The components of errors that are the same for every operation. */
export const commonErrors = [
  'Unauthenticated',
  'PayloadTooLarge',
  'ResourceExhausted',
  'TooMany',
  'Internal',
  'BadGateway',
  'Unavailable',
  'DeadlineExceeded',
  'AdminUnauthenticated',
  'NotAdmin',
] as const
const common = new Set<unknown>(commonErrors.map((name) => `#/components/responses/${name}`))

/** Returns whether a response of an operation is the same for every operation. */
export const isCommon = (response: Part): boolean => common.has(response?.$ref)

/**
 * Reduces the description to one operation and the components it needs, or undefined if the operation does not
 * exist.
 */
export function narrowTo(description: Part, operationId: string): Part | undefined {
  const found = operationsOf(description.paths).find(({ operation }) => operation.operationId === operationId)
  if (!found) return undefined
  const { path, method, operation } = found
  const { description: _about, summary: _line, ...info } = description.info
  const item = { parameters: description.paths[path].parameters ?? [], [method]: operation }
  return {
    ...description,
    info,
    tags: description.tags?.filter((tag: Part) => operation.tags?.includes(tag.name)),
    paths: { [path]: item },
    components: componentsFor(description, item),
  }
}

/**
 * Returns all components that a part references, directly or not. Security schemes, which are referenced by
 * name, are all kept.
 */
function componentsFor(description: Part, part: Part): Part {
  const needed = new Set<string>()
  const left: Part[] = [part]
  for (const at of left) {
    if (typeof at === 'string' && at.startsWith(COMPONENTS) && !needed.has(at)) {
      needed.add(at)
      left.push(resolve(description, { $ref: at }))
    } else if (typeof at === 'object' && at !== null) left.push(...Object.values(at))
  }
  const kinds = Object.entries<Part>(description.components ?? {}).map(([kind, members]) => {
    const named = Object.entries<Part>(members)
    const kept = named.filter(([name]) => needed.has(`${COMPONENTS}${kind}/${name}`))
    return [kind, kind === 'securitySchemes' ? members : Object.fromEntries(kept)]
  })
  return Object.fromEntries(kinds)
}

const COMPONENTS = '#/components/'

/** A value with a scripted outcome, as listed in `x-sandbox-values`. */
export interface SandboxValue {
  readonly value: string | number
  readonly scenario?: string
  readonly title?: string
}

/**
 * Returns a description for viewers that do not know our extensions: provenance (`x-provenance`) and scripted
 * values (`x-sandbox-values`) become Markdown in the texts, with classes for the style sheet.
 */
export function annotate(description: Part): Part {
  return visit(description, description, '')
}

/** The keys below these are arbitrary names. */
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

/** Data, which must not be changed. */
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

/** Text follows its badge on the same line; other Markdown blocks need a line of their own. */
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
  return `<details class="sandbox-values">\n<summary>In the sandbox: ${count} with a scripted outcome</summary>\n\n${table}\n\n</details>`
}

const cell = (text: string) => escape(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
