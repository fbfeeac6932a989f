import { type Prose, proseOf } from '../guides/prose.ts'
import {
  isCommon,
  type SandboxValue,
  operationsOf,
  parametersOf,
  type Part,
  resolve,
} from '../viewer/description.ts'

/** One operation with everything that the element displays. */
export interface OperationSheet {
  readonly id: string
  readonly method: string
  /** The path template of the description. */
  readonly path: string
  readonly title: string
  readonly about: Prose
  readonly sure?: 'observed' | 'assumed'
  readonly note?: string
  readonly parameters: readonly Parameter[]
  readonly body?: readonly Field[]
  readonly examples: readonly Example[]
  readonly answers: readonly Answer[]
  readonly callback?: Callback
}

/** A sheet with the settings of its reader. */
export interface ShownSheet extends OperationSheet {
  /** Whether the embedding page may send requests to the sandbox. */
  readonly mayTry: boolean
  /** The path at which readers receive a world, if they do. */
  readonly reader?: string
  /** Public credentials; `name+anything` selects a separate world. */
  readonly credentials?: { readonly username: string; readonly password: string }
}

interface Parameter extends Field {
  readonly in: 'path' | 'query'
}

interface Example {
  readonly name: string
  readonly title: string
  readonly status: number
  readonly value: unknown
}

export interface Answer {
  readonly status: string
  readonly about: Prose
  readonly example?: unknown
}

/** The callback that follows the response. */
export interface Callback {
  readonly title: string
  readonly about: Prose
  /** The response field that contains the transaction's reference. */
  readonly reference: string
  readonly examples: readonly Pick<Example, 'title' | 'value'>[]
}

/** Returns the sheet of an operation, or undefined if the description lacks it. */
export function sheetOf(description: Part, operationId: string): OperationSheet | undefined {
  const found = operationsOf(description.paths).find(({ operation }) => operation.operationId === operationId)
  if (!found) return undefined
  const { path, method, operation } = found
  const schema = jsonOf(operation.requestBody)?.schema
  const callback = callbackOf(description, operation)
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    title: operation.summary ?? operationId,
    about: proseOf(operation.description ?? ''),
    ...sureness(operation),
    parameters: parametersOf(description, found)
      .filter((each) => each.in === 'path' || each.in === 'query')
      .map((each) => parameterOf(description, each)),
    ...(schema && { body: fieldsOf(description, schema) }),
    examples: examplesOf(description, operation),
    answers: answersOf(description, operation),
    ...(callback && { callback }),
  }
}

const jsonOf = (part: Part): Part => part?.content?.['application/json']

function parameterOf(description: Part, parameter: Part): Parameter {
  const { name, required, schema, description: about } = parameter
  const [field] = fieldOf(description, { ...schema, description: about }, name, required)
  const [named] = Object.values<Part>(parameter.examples ?? {})
  const example = parameter.example ?? named?.value ?? field!.example
  return {
    ...field!,
    ...sureness(parameter),
    ...(example !== undefined && { example }),
    in: parameter.in,
  }
}

/** Returns the examples, successful ones first. Request and response share a name. */
function examplesOf(description: Part, { requestBody, responses }: Part): Example[] {
  const statuses = Object.entries<Part>(responses).flatMap(([status, response]) =>
    Object.keys(jsonOf(resolve(description, response))?.examples ?? {}).map(
      (name) => [name, Number(status)] as const,
    ),
  )
  const status = new Map(statuses)
  return Object.entries<Part>(jsonOf(requestBody)?.examples ?? {})
    .map(([name, { summary, value }]) => ({ name, title: summary, status: status.get(name) ?? 200, value }))
    .sort((a, b) => Number(a.status >= 300) - Number(b.status >= 300))
}

/** Omits the responses that all operations share. */
const answersOf = (description: Part, { responses }: Part): Answer[] =>
  Object.entries<Part>(responses)
    .filter(([, response]) => !isCommon(response))
    .map(([status, each]) => {
      const response = resolve(description, each)
      const [example] = Object.values<Part>(jsonOf(response)?.examples ?? {})
      return { status, about: proseOf(response.description), ...(example && { example: example.value }) }
    })

/** Returns the callback sent to `callback_url`. The link to the status query names the reference field. */
function callbackOf(description: Part, { callbacks, responses }: Part): Callback | undefined {
  const [received] = Object.values<Part>(callbacks ?? {}).flatMap((each) => operationsOf(each))
  if (!received) return undefined
  const links = Object.values<Part>(responses).flatMap((each) =>
    Object.values<Part>(resolve(description, each).links ?? {}),
  )
  const named = links.find(({ operationId }) => operationId === 'getTransactionStatus')
  const { summary, description: about, requestBody } = received.operation
  return {
    title: summary,
    about: proseOf(about),
    reference:
      String(named?.['x-request-body']?.request_id ?? '').replace('$response.body#/', '') || 'reference',
    examples: Object.values<Part>(jsonOf(resolve(description, requestBody))?.examples ?? {}).map((each) => ({
      title: each.summary,
      value: each.value,
    })),
  }
}

/** A field or parameter with its description. */
export interface Field {
  /** The path of the field, for example `payment_config.reference`; `[]` stands for list items. */
  readonly name: string
  readonly type: string
  readonly required?: true
  /** Further rules in words, for example `at most 32 characters`. */
  readonly rules?: readonly string[]
  /** The allowed values. */
  readonly options?: readonly (string | number)[]
  readonly about?: Prose
  /** Set if the service's documentation does not specify the field. */
  readonly sure?: 'observed' | 'assumed'
  readonly note?: string
  /** Values with a scripted outcome in the sandbox. */
  readonly values?: readonly SandboxValue[]
  readonly example?: unknown
}

/**
 * Returns the fields of an object including nested ones. @param before - prefix of their names, such as
 * `customer.`
 */
function fieldsOf(description: Part, schema: Part, before = ''): Field[] {
  const { properties = {}, required = [] } = resolve(description, schema) ?? {}
  return Object.entries<Part>(properties).flatMap(([key, part]) =>
    fieldOf(description, part, before + key, required.includes(key)),
  )
}

function fieldOf(description: Part, part: Part, name: string, required: boolean): Field[] {
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

/** Returns the provenance, unless it is documented. */
function sureness(part: Part): Pick<Field, 'sure' | 'note'> {
  const { 'x-provenance': sure, 'x-provenance-note': note } = part
  if (sure !== 'observed' && sure !== 'assumed') return {}
  return { sure, ...(note && { note }) }
}

/** Describes the constraints of a schema in words. */
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
    [schema.default, `default ${JSON.stringify(schema.default)}`],
    [FORMATS[schema.format], FORMATS[schema.format] ?? ''],
  ]
  return words.flatMap(([value, text]) => (value === undefined ? [] : [text]))
}

/** Formats that readers need to know. */
const FORMATS: { readonly [format: string]: string } = {
  'date-time': 'a time such as 2026-06-30T00:44:53Z',
  date: 'a day such as 2026-06-30',
  email: 'an e-mail address',
  uri: 'an address',
}
