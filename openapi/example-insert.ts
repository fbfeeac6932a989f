import {
  type Callback,
  methods,
  type OpenApiDocument,
  type Parameter,
  type Reference,
  resolve,
  type Response,
  type Route,
  operationsOf,
} from './document.ts'
import type { Tried } from './example-run.ts'

/** What was tried, as it is put into a description. */
export interface Shown {
  readonly tried: readonly Tried[]
  /** Whether a request's body and parameters may stand in the description: those that it says are wrong may not. */
  readonly fits: (tried: Tried) => boolean
  /** The body of a refusal that operations share, by the name of its response, with its summary. */
  readonly shared: ReadonlyMap<string, { readonly summary: string; readonly value: unknown }>
  /** The bodies of callbacks, by operation. */
  readonly callbacks: ReadonlyMap<string, Examples>
}

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

// The parts of the copy that is filled in.
type Part = { [name: string]: unknown }

/**
 * The description with its examples: each answer beside the request that led to it, under the same name. What operations
 * do not share stands in them, and callbacks too; many readers of descriptions follow no reference there.
 */
export function withExamples(document: OpenApiDocument, shown: Shown): OpenApiDocument {
  const whole = structuredClone(document)
  for (const route of operationsOf(whole)) {
    const operation = route.operation as unknown as Part
    const tried = shown.tried.filter(({ operationId }) => operationId === route.id)
    const offered = tried.filter((each) => (each.status < 400 || each.unprepared) && shown.fits(each))
    fillRequest(whole, operation, offered)
    fillParameters(whole, route, offered)
    fillResponses(whole, operation, tried, shown.shared)
    fillCallbacks(whole, operation, shown.callbacks.get(route.id) ?? {})
  }
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

/** Parameters have the values of the requests, by the same names, where they differ from the one that they have. */
function fillParameters(whole: OpenApiDocument, route: Route, offered: readonly Tried[]): void {
  if (route.parameters.length === 0) return
  const operation = route.operation as unknown as Part
  operation['parameters'] = route.parameters.map((reference) => {
    const parameter = structuredClone(resolve<Parameter>(whole, reference)) as Parameter & Part
    const values = offered.flatMap(({ name, summary, parameters }) =>
      parameter.name in parameters ? [[name, { summary, value: parameters[parameter.name] }] as const] : [],
    )
    if (values.length === 0) return parameter
    const { example: _, ...rest } = parameter
    return { ...rest, examples: Object.fromEntries(values) }
  })
}

function fillResponses(
  whole: OpenApiDocument,
  operation: Part,
  tried: readonly Tried[],
  shared: Shown['shared'],
): void {
  const responses = operation['responses'] as Record<string, Response | Reference>
  for (const [status, response] of Object.entries(responses)) {
    if ('$ref' in response && shared.has(response.$ref.split('/').at(-1)!)) continue
    const own = structuredClone(resolve<Response>(whole, response))
    const here = tried.filter((each) => String(each.status) === status)
    setExamples(
      own,
      Object.fromEntries(here.map(({ name, summary, answer }) => [name, { summary, value: answer }])),
    )
    responses[status] = own
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

/** What nothing refers to any more is left out: what has been written into operations, and schemas of unlisted bodies. */
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
