import { curlOf, json, whoCalls, contentOf, type Example, examplesOf } from './catalogue.ts'
import { provenanceOfOperation } from '../provenance/entries.ts'
import {
  isCommon,
  type Operation,
  operationsOf,
  parametersOf,
  type Part,
  resolve,
} from '../viewer/description.ts'

/**
 * Renders an operation as Markdown: request, responses, errors and a command.
 * @param brief - without example responses and callbacks
 */
export function operationMarkdown(description: Part, found: Operation, brief = false): string {
  const { path, method, operation } = found
  const examples = examplesOf(description, found)
  const good = examples.filter(({ status }) => status.startsWith('2'))
  const parts = [
    `# ${operation.summary}`,
    headOf(found),
    operation.description.trim(),
    marked(operation),
    section('Try it', fenced('sh', curlOf(method, path, good[0], whoCalls(description, operation)))),
    section('Parameters', parameterTable(description, parametersOf(description, found))),
    section('Request body', bodyOf(description, operation.requestBody)),
    section('Answer', answersOf(description, operation)),
    brief ? '' : section('Examples', good.map(exampleOf).join('\n\n')),
    section('Refusals', refusalsOf(description, operation, examples)),
    ...(brief ? [] : callbacksOf(description, operation)),
    section('Values with a scripted outcome', outcomesOf(description, operation.requestBody)),
    section('How sure is this?', sureOf(description, found)),
  ]
  return `${joined(parts)}\n`
}

/** Joins the parts that are not empty into paragraphs. */
const joined = (parts: readonly unknown[]) => parts.filter(Boolean).join('\n\n')

const section = (title: string, text: string) => (text === '' ? '' : `## ${title}\n\n${text}`)
const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

function headOf({ path, method, operation }: Operation): string {
  const roles: readonly string[] = operation['x-allowed-roles'] ?? []
  return [
    `\`${method.toUpperCase()} ${path}\``,
    `operation \`${operation.operationId}\``,
    operation.tags?.join(', '),
    roles.length > 0 && `roles: ${roles.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

const marked = (part: Part) =>
  part['x-provenance'] && part['x-provenance'] !== 'documented'
    ? `*${part['x-provenance']}*${part['x-provenance-note'] ? `: ${part['x-provenance-note']}` : ''}`
    : ''

function parameterTable(description: Part, parameters: readonly Part[]): string {
  if (parameters.length === 0) return ''
  return tableOf([
    ['Name', 'In', 'Type', 'Required', 'What it is'],
    ...parameters.map((each) => [
      `\`${each.name}\``,
      each.in,
      typeText(description, each.schema),
      each.required ? 'yes' : '',
      about(description, each),
    ]),
  ])
}

function bodyOf(description: Part, body: Part): string {
  const content = contentOf(resolve(description, body))
  if (!content) return ''
  const types = Object.keys(body.content).map((type) => `\`${type}\``)
  const said = [body.description, about(description, content.schema ?? {})].filter(Boolean).join(' ')
  return joined([
    `${types.join(' or ')}${body.required ? '' : ', optional'}. ${said}`,
    fieldTable(description, content.schema ?? {}, 'said'),
  ])
}

function answersOf(description: Part, operation: Part): string {
  return Object.entries<Part>(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, each]) => {
      const response = resolve(description, each)
      const types = Object.keys(response.content ?? {}).map((type) => `\`${type}\``)
      const head = `\`${status}\`${types.length > 0 ? ` ${types.join(' or ')}` : ''}: ${response.description}`
      return joined([head, fieldTable(description, contentOf(response)?.schema ?? {}, 'left out')])
    })
    .join('\n\n')
}

function exampleOf({ summary, body, parameters, status, response: answer }: Example): string {
  const sent = [
    ...parameters.map(({ name, value }) => `\`${name}\`: \`${String(value)}\``),
    ...(body === undefined ? [] : [fenced('json', json(body))]),
  ]
  const answered = typeof answer === 'string' ? fenced('', answer.trimEnd()) : fenced('json', json(answer))
  return [`### ${summary}`, ...sent, `Response \`${status}\`:`, answered].join('\n\n')
}

/** Lists each status with its code and the messages of its examples. */
function refusalsOf(description: Part, operation: Part, examples: readonly Example[]): string {
  const rows = Object.entries<Part>(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, each]) => {
      const response = resolve(description, each)
      const own = examples.filter((example) => example.status === status)
      const shared = Object.values<Part>(contentOf(response)?.examples ?? {})
      const shown = own.length > 0 ? own : shared.map(({ summary, value }) => ({ summary, response: value }))
      return shown.map(({ summary, response: answer }) => {
        const { error_code = '', error_message = '' } = (answer ?? {}) as Part
        return [status, `\`${error_code}\``, summary, `\`${error_message}\``]
      })
    })
  return rows.length === 0 ? '' : tableOf([['Status', '`error_code`', 'When', 'Example'], ...rows])
}

function callbacksOf(description: Part, operation: Part): string[] {
  return Object.values<Part>(operation.callbacks ?? {}).flatMap((callback) =>
    operationsOf(resolve(description, callback)).map(({ path, method, operation: told }) => {
      const content = contentOf(resolve(description, told.requestBody))
      const examples = Object.values<Part>(content?.examples ?? {})
      return section(
        `Callback: ${told.summary}`,
        joined([
          `\`${method.toUpperCase()} ${path}\`. ${told.description}`,
          marked(told),
          fieldTable(description, content?.schema ?? {}, 'left out'),
          ...examples.map(({ summary, value }) => `### ${summary}\n\n${fenced('json', json(value))}`),
        ]),
      )
    }),
  )
}

/** Lists the field values that select an outcome. */
function outcomesOf(description: Part, body: Part): string {
  const schema = resolve(description, contentOf(body)?.schema ?? {})
  const rows = Object.entries<Part>(schema.properties ?? {}).flatMap(([field, part]) =>
    (resolve(description, part)['x-sandbox-values'] ?? []).map(({ value, scenario, title }: Part) => [
      `\`${field}\``,
      `\`${value}\``,
      scenario ? `\`${scenario}\`` : '',
      title ?? '',
    ]),
  )
  return rows.length === 0 ? '' : tableOf([['Field', 'Send', 'Scenario', 'What happens'], ...rows])
}

/**
 * Lists what is not documented about the operation, its parameters and responses, except for what all
 * operations share.
 */
function sureOf(description: Part, found: Operation): string {
  const { responses } = found.operation
  const unsure = provenanceOfOperation(description, found).filter(
    ({ provenance, name }) => provenance !== 'documented' && !isCommon(responses[name.split(' ')[0]!]),
  )
  return unsure.length === 0
    ? ''
    : tableOf([
        ['What', 'Origin', 'Why'],
        ...unsure.map(({ kind, name, provenance, note }) => [`${kind} \`${name}\``, provenance, note]),
      ])
}

/** Describes a schema briefly: `integer, 1 to 150`, `one of a, b`, `list of Team`. */
function typeText(description: Part, schema: Part): string {
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

/** Omits lengths, since hardly any is specified by the service. */
function limitsOf(schema: Part): string {
  const { minimum, maximum, exclusiveMinimum, default: otherwise } = schema
  const limits = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    minimum === undefined && maximum !== undefined && `at most ${maximum}`,
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    otherwise !== undefined && `default ${code(otherwise)}`,
  ]
  return limits.flatMap((each) => (each ? [`, ${each}`] : [])).join('')
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** Returns the name of a referenced schema; undefined for an inline schema. */
const nameOf = (schema: Part): string | undefined => schema?.$ref?.replace(/^.*\//, '')

/** Renders a table without padding. The first row contains the headings. */
function tableOf([heads, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads!), `|${heads!.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')

/** Maximum depth of nested fields. */
const DEPTH = 4

function fieldTable(description: Part, schema: Part, required: 'said' | 'left out'): string {
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

function fieldsOf(description: Part, part: Part, path: string, depth: number): Part[] {
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

/** Returns the description of a part and its provenance, on one line. */
export function about(description: Part, part: Part): string {
  const found = { ...resolve(description, part), ...part }
  const { description: text = '', 'x-provenance': word, 'x-provenance-note': note } = found
  const values: number = found['x-sandbox-values']?.length ?? 0
  return [
    text,
    values > 0 && `${values} values have a scripted outcome, see below.`,
    word && word !== 'documented' && `*${word}*${note ? `: ${note}` : ''}`,
    !word && note,
  ]
    .filter(Boolean)
    .join(' ')
    .trim()
}
