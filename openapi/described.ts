import * as control from '../src/generated/control/routes.ts'
import * as extensions from '../src/generated/extensions/routes.ts'
import * as service from '../src/generated/service/routes.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { z } from 'zod'
import { withAcceptedValues } from './accepted-values.ts'
import type { Scenario } from '../src/scenarios/scenario.ts'
import {
  bodyOf,
  type OpenApiDocument,
  type Route,
  type Schema,
  operationsOf,
  type Callback,
  methods,
  type Parameter,
  type Reference,
  resolve,
  type Response,
} from './document.ts'
import { successOf, type Tried, tryCallback, tryRequest } from './example-run.ts'
import { type ExampleRequest, type OperationExamples, readExamples } from './example-source.ts'
import { withTestNumbers } from './test-numbers.ts'
import { bundleDescription } from './read-description.ts'
import { sharedRefusals, trySharedRefusal } from './shared-refusals.ts'

/** A served description: its source, its examples and its output. */
export const served = [
  {
    source: 'openapi/openapi.yaml',
    examples: 'openapi/examples/service',
    folder: 'src/generated/service',
    code: service,
  },
  {
    source: 'openapi/control.yaml',
    examples: 'openapi/examples/control',
    folder: 'src/generated/control',
    code: control,
  },
  {
    source: 'openapi/extensions.yaml',
    examples: 'openapi/examples/extensions',
    folder: 'src/generated/extensions',
    code: extensions,
    env: { SANDBOX_EXTENSIONS: 'on' },
  },
] as const

type Served = (typeof served)[number]

/** A description and the examples that were run for it. */
export interface Described {
  readonly document: OpenApiDocument
  readonly requests: readonly { readonly route: Route; readonly request: ExampleRequest }[]
  readonly callbacks: readonly { readonly route: Route; readonly request: ExampleRequest }[]
  /** Error responses shared by its operations. */
  readonly shared: readonly string[]
}

/** @throws {Error} If an operation has no examples, or an example has no operation */
export async function readDescribed(
  { source, examples }: Pick<Served, 'source' | 'examples'>,
  scenarios: readonly Scenario[],
): Promise<Described> {
  const document = withTestNumbers(await bundleDescription(source), scenarios)
  const sources = await readExamples(examples)
  const routes = operationsOf(document)
  const without = routes
    .filter(({ id }) => !sources.has(id))
    .map(({ id }) => `${id} needs ${examples}/${id}.yaml`)
  const strays = [...sources.keys()].filter((id) => !routes.some((route) => route.id === id))
  const faults = [...without, ...strays.map((id) => `${examples}/${id}.yaml is of no operation`)]
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const ofAll = (kind: keyof OperationExamples) =>
    routes.flatMap((route) => sources.get(route.id)![kind].map((request) => ({ route, request })))
  const asked = [...ofAll('requests'), ...routes.flatMap((route) => byReader(route, sources.get(route.id)!))]
  const responses = Object.keys(document.components?.['responses'] ?? {})
  return {
    document,
    requests: asked,
    callbacks: ofAll('callbacks'),
    shared: responses.filter((name) => name in sharedRefusals),
  }
}

/** Repeats the first request as a read-only user if the operation rejects that. */
function byReader(route: Route, { requests }: OperationExamples) {
  const refusal = route.operation.responses?.['403']
  const [first] = requests
  if (!refusal || !first || requests.some(({ status }) => status === 403)) return []
  const component = '$ref' in refusal ? refusal.$ref.split('/').at(-1) : undefined
  if (component !== undefined && Object.hasOwn(sharedRefusals, component)) return []
  const summary = 'The user of the key may not do this'
  const { varies: _, shows: __, ...asked } = first
  return [{ route, request: { ...asked, name: 'may-not', summary, as: 'viewer' as const, status: 403 } }]
}

/** Returns the description with all examples, running each. */
export async function describe(described: Described, { code, ...each }: Served): Promise<OpenApiDocument> {
  const env = 'env' in each ? each.env : {}
  const { requests, callbacks, shared } = described
  const document = withAcceptedValues(described.document, each.folder === 'src/generated/service')
  const tried: Tried[] = []
  for (const { route, request } of requests) tried.push(await tryRequest(document, route, request, env))
  const bodies = new Map<string, Examples>()
  for (const { route, request } of callbacks) {
    const value = await tryCallback(document, route, request)
    bodies.set(route.id, { ...bodies.get(route.id), [request.name]: { summary: request.summary, value } })
  }
  const refusals = new Map<string, { summary: string; value: unknown }>()
  for (const name of shared)
    refusals.set(name, { summary: sharedRefusals[name]!.summary, value: await trySharedRefusal(name) })
  return withExamples(document, { tried, fits: fitsBy(document, code), shared: refusals, callbacks: bodies })
}

interface Checked {
  readonly request?: {
    readonly body?: { readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }
    readonly params?: z.ZodType
    readonly query?: z.ZodType
    readonly headers?: z.ZodType
  }
}

/** Returns whether a request is valid in the profile `documented`. */
function fitsBy(document: OpenApiDocument, code: Served['code']) {
  const routes = code.routes as Readonly<Record<string, Checked>>
  const stricter = code.documentedBodies as Readonly<Record<string, z.ZodType>>
  const all = new Map(operationsOf(document).map((route) => [route.id, route]))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const matches = (schema: Schema | undefined, value: unknown) =>
    schema === undefined ||
    value === undefined ||
    ajv.validate({ ...schema, components: document.components }, value)
  return ({ operationId, sent, parameters, status }: Tried): boolean => {
    if (status === successOf(all.get(operationId)!)) return true
    const { request } = routes[operationId] ?? {}
    const body = stricter[operationId] ?? request?.body?.content['application/json']?.schema
    const texts = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
    const route = all.get(operationId)!
    const schemas = route.parameters.map((each) => resolve<Parameter>(document, each))
    const readers = [request?.params, request?.query, request?.headers]
    return (
      (body === undefined || body.safeParse(sent).success) &&
      matches(bodyOf(document, route)?.content?.['application/json']?.schema, sent) &&
      schemas.every(({ name, schema }) => matches(schema, parameters[name])) &&
      readers.every((reader) => reader === undefined || reader.safeParse(texts).success)
    )
  }
}

/** The results of an example, as the description contains them. */
interface Shown {
  readonly tried: readonly Tried[]
  /** Whether the description can contain the body and parameters of a request; invalid ones would contradict it. */
  readonly fits: (tried: Tried) => boolean
  /** The bodies of shared error responses by component name, with a summary. */
  readonly shared: ReadonlyMap<string, { readonly summary: string; readonly value: unknown }>
  /** The bodies of callbacks, by operation. */
  readonly callbacks: ReadonlyMap<string, Examples>
}

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

// A mutable part of the document.
type Part = { [name: string]: unknown }

/**
 * Returns the description with its examples: each response has the name of its request. Responses and parameters that
 * are the same in several operations are components; callbacks are inlined, since many tools do not resolve references
 * there.
 */
function withExamples(document: OpenApiDocument, shown: Shown): OpenApiDocument {
  const whole = structuredClone(document)
  const own: OwnPart[] = []
  for (const route of operationsOf(whole)) {
    const operation = route.operation as unknown as Part
    const tried = shown.tried.filter(({ operationId }) => operationId === route.id)
    const offered = tried.filter((each) => (each.status < 400 || each.unprepared) && shown.fits(each))
    fillRequest(whole, operation, offered)
    own.push(...fillParameters(whole, route, offered))
    own.push(...fillResponses(whole, operation, tried, shown.shared))
    fillCallbacks(whole, operation, shown.callbacks.get(route.id) ?? {})
  }
  share(whole, own)
  for (const item of Object.values(whole.paths)) delete (item as Part)['parameters']
  for (const [name, example] of shown.shared) {
    const response = whole.components?.['responses']?.[name]
    if (response) setExamples(response as Response, { [nameOf(name)]: example })
  }
  return withoutUnused(whole)
}

/** `PayloadTooLarge` -> `payload-too-large` */
const nameOf = (component: string) => component.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase()

function fillRequest(whole: OpenApiDocument, operation: Part, offered: readonly Tried[]): void {
  if (!operation['requestBody']) return
  const body = resolve<Part>(whole, operation['requestBody'] as Part)
  const contents = body['content'] as Record<string, Part>
  for (const [type, media] of Object.entries(contents)) if (media['x-unlisted']) delete contents[type]
  const json = (body['content'] as Part)['application/json'] as Part | undefined
  const sent = offered.filter(({ sent: value }) => value !== undefined)
  if (!json || sent.length === 0) return
  delete json['example']
  json['examples'] = Object.fromEntries(
    sent.map(({ name, summary, sent: value }) => [name, { summary, value }]),
  )
}

/** Adds the values of the requests to parameters, by the same names, if they differ from the parameter's own example. */
function fillParameters(whole: OpenApiDocument, route: Route, offered: readonly Tried[]): readonly OwnPart[] {
  if (route.parameters.length === 0) return []
  const filled = route.parameters.map((reference) => {
    const parameter = structuredClone(resolve<Parameter>(whole, reference)) as Parameter & Part
    const values = offered.flatMap(({ name, summary, parameters }) =>
      parameter.name in parameters ? [[name, { summary, value: parameters[parameter.name] }] as const] : [],
    )
    if (values.length === 0) return parameter
    const { example: _, ...rest } = parameter
    return { ...rest, examples: Object.fromEntries(values) }
  })
  const list: (Parameter | Reference)[] = ((route.operation as unknown as Part)['parameters'] = [...filled])
  return filled.map((part, at) => ({
    kind: 'parameters' as const,
    name: pascal(part.name),
    variant: '',
    part,
    replace: (reference: Reference) => void (list[at] = reference),
  }))
}

function fillResponses(
  whole: OpenApiDocument,
  operation: Part,
  tried: readonly Tried[],
  shared: Shown['shared'],
): readonly OwnPart[] {
  const responses = operation['responses'] as Record<string, Response | Reference>
  return Object.entries(responses).flatMap(([status, response]) => {
    const component = '$ref' in response ? response.$ref.split('/').at(-1) : undefined
    if (component !== undefined && shared.has(component)) return []
    const own = structuredClone(resolve<Response>(whole, response))
    const here = tried.filter((each) => String(each.status) === status)
    setExamples(
      own,
      Object.fromEntries(
        here.map(({ name, summary, response: answer }) => [name, { summary, value: answer }]),
      ),
    )
    responses[status] = own
    if (component === undefined) return []
    return {
      kind: 'responses' as const,
      name: component,
      variant: here[0]?.name ?? '',
      part: own,
      replace: (reference: Reference) => void (responses[status] = reference),
    }
  })
}

/** A response or parameter with the examples of one operation. */
interface OwnPart {
  readonly kind: 'responses' | 'parameters'
  /** The name of its component. */
  readonly name: string
  /** Distinguishes parts with the same name. */
  readonly variant: string
  readonly part: Response | Parameter
  readonly replace: (reference: Reference) => void
}

/** Replaces parts that are the same in several operations by references to a component. */
function share(whole: OpenApiDocument, own: readonly OwnPart[]): void {
  const components = whole.components as Record<string, Record<string, unknown>>
  const users = new Map<string, OwnPart[]>()
  for (const each of own) {
    const text = JSON.stringify([each.kind, each.name, each.part])
    users.set(text, [...(users.get(text) ?? []), each])
  }
  const repeated = [...users.values()].filter(({ length }) => length > 1)
  const firsts = repeated.map(([first]) => first!)
  for (const list of repeated) {
    const { kind, name, variant, part } = list[0]!
    const named = (components[kind] ??= {})
    const isOnly = firsts.filter((each) => each.kind === kind && each.name === name).length === 1
    const component = isOnly ? name : freeName(`${name}${pascal(variant)}`, named)
    named[component] = part
    for (const { replace } of list) replace({ $ref: `#/components/${kind}/${component}` })
  }
}

/** `not-a-number` -> `NotANumber` */
const pascal = (name: string) => name.replace(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase())

function freeName(name: string, taken: object): string {
  for (let n = 2, free = name; ; n++) {
    if (!Object.hasOwn(taken, free)) return free
    free = `${name}${n}`
  }
}

function setExamples(response: Response, examples: Examples): void {
  const [media] = Object.values(response.content ?? {}) as Part[]
  if (!media) return
  delete media['example']
  if (Object.keys(examples).length > 0) media['examples'] = examples
}

function fillCallbacks(whole: OpenApiDocument, operation: Part, examples: Examples): void {
  const callbacks = operation['callbacks'] as Record<string, Callback | Reference> | undefined
  for (const [name, reference] of Object.entries(callbacks ?? {})) {
    const callback = structuredClone(resolve<Callback>(whole, reference))
    for (const item of Object.values(callback))
      for (const method of methods) {
        const body = (item[method] as unknown as Part | undefined)?.['requestBody']
        if (body) setExamples(resolve<Response>(whole, body as Response), examples)
      }
    callbacks![name] = callback
  }
}

/** Removes components without references, such as those that were inlined. */
function withoutUnused(whole: OpenApiDocument): OpenApiDocument {
  const components: Record<string, Readonly<Record<string, unknown>>> = { ...whole.components }
  const text = JSON.stringify([whole.paths, components['schemas']])
  for (const kind of ['responses', 'parameters', 'callbacks', 'schemas']) {
    const used = Object.entries(components[kind] ?? {}).filter(([name]) =>
      text.includes(`"#/components/${kind}/${name}"`),
    )
    if (used.length > 0) components[kind] = Object.fromEntries(used)
    else delete components[kind]
  }
  return { ...whole, components }
}
