import type { z } from 'zod'
import * as control from '../src/generated/control/routes.ts'
import * as extensions from '../src/generated/extensions/routes.ts'
import * as service from '../src/generated/service/routes.ts'
import type { Scenario } from '../src/scenarios/scenario.ts'
import { type OpenApiDocument, type Route, operationsOf } from './document.ts'
import { type Examples, withExamples } from './example-insert.ts'
import { successOf, type Tried, tryCallback, tryRequest } from './example-run.ts'
import { type ExampleRequest, type OperationExamples, readExamples } from './example-source.ts'
import { withMagicValues } from './magic-values.ts'
import { bundleDescription } from './read-description.ts'
import { sharedRefusals, trySharedRefusal } from './shared-refusals.ts'

/** A description that is served: where it is written, where its examples are, and what it is made into. */
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

export type Served = (typeof served)[number]

/** A description, and what is tried for it. */
export interface Described {
  readonly document: OpenApiDocument
  readonly requests: readonly { readonly route: Route; readonly request: ExampleRequest }[]
  readonly callbacks: readonly { readonly route: Route; readonly request: ExampleRequest }[]
  /** The refusals that its operations share. */
  readonly shared: readonly string[]
}

/** @throws Error naming the operations that have no examples, and examples that have no operation */
export async function readDescribed(
  { source, examples }: Pick<Served, 'source' | 'examples'>,
  scenarios: readonly Scenario[],
): Promise<Described> {
  const document = withMagicValues(await bundleDescription(source), scenarios)
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

/** The first request once more, by a user who may only read, where that is refused. */
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

/** The description with all of its examples, made by trying each. */
export async function describe(described: Described, { code, ...each }: Served): Promise<OpenApiDocument> {
  const env = 'env' in each ? each.env : {}
  const { document, requests, callbacks, shared } = described
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

/** Whether the profile `documented` finds nothing wrong with the form of what was sent. */
function fitsBy(document: OpenApiDocument, code: Served['code']) {
  const routes = code.routes as Readonly<Record<string, Checked>>
  const stricter = code.documentedBodies as Readonly<Record<string, z.ZodType>>
  const all = new Map(operationsOf(document).map((route) => [route.id, route]))
  return ({ operationId, sent, parameters, status }: Tried): boolean => {
    if (status === successOf(all.get(operationId)!)) return true
    const { request } = routes[operationId] ?? {}
    const body = stricter[operationId] ?? request?.body?.content['application/json']?.schema
    const texts = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
    const readers = [request?.params, request?.query, request?.headers]
    return (
      (body === undefined || body.safeParse(sent).success) &&
      readers.every((reader) => reader === undefined || reader.safeParse(texts).success)
    )
  }
}
