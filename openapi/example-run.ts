import { type OpenApiDocument, type Parameter, resolve, type Route } from './document.ts'
import { type Answered, prepare, withSandbox } from './example-sandbox.ts'
import type { ExampleRequest } from './example-source.ts'

/** A sent request and its response. */
export interface Tried {
  readonly operationId: string
  readonly name: string
  readonly summary: string
  readonly status: number
  /** The parameters sent, by name. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The body; `undefined` if there was none or it was not JSON. */
  readonly sent: unknown
  /** Whether the owner of the default world gets this response without preceding requests or additional headers. */
  readonly unprepared: boolean
  readonly response: unknown
}

/**
 * Sends a request to a new sandbox.
 * @param env - the settings of the sandbox
 * @throws {Error} If the response differs from the example's source
 */
export async function tryRequest(
  document: OpenApiDocument,
  route: Route,
  request: ExampleRequest,
  env: Readonly<Record<string, string>> = {},
): Promise<Tried> {
  const where = `${request.operationId} ${request.name}`
  try {
    return await withSandbox({ ...env, ...request.env }, async (sandbox) => {
      const fill = await prepare(sandbox, request.before)
      const parameters = fill(parametersOf(document, route, request))
      const sent = fill(request.body)
      const { path, headers: declared } = addressOf(document, route, parameters)
      const { text, type, as, headers: added = {} } = request
      const headers = { ...declared, ...added }
      const answer = await sandbox.ask({ method: route.method, path, headers, body: sent, text, type, as })
      const status = request.status ?? successOf(route)
      if (answer.status !== status)
        throw new Error(`answered ${answer.status} and not ${status}: ${JSON.stringify(answer.body)}`)
      return {
        operationId: route.id,
        name: request.name,
        summary: request.summary,
        status,
        parameters,
        sent: text === undefined ? sent : undefined,
        unprepared: request.before.length === 0 && as === 'owner' && Object.keys(added).length === 0,
        response: asShown(answer, request),
      }
    })
  } catch (error) {
    throw new Error(`the example ${where}: ${(error as Error).message}`, { cause: error })
  }
}

/** Returns the body of the callback of a request. @throws {Error} If there is none */
export async function tryCallback(
  document: OpenApiDocument,
  route: Route,
  request: ExampleRequest,
): Promise<unknown> {
  return withSandbox({}, async (sandbox) => {
    const fill = await prepare(sandbox, request.before)
    const { path } = addressOf(document, route, {})
    const { status, body } = await sandbox.ask({
      method: route.method,
      path,
      body: fill(request.body),
      as: 'owner',
    })
    if (status >= 300) throw new Error(`${request.operationId} ${request.name}: ${JSON.stringify(body)}`)
    await sandbox.ask({ method: 'post', path: '/sandbox/settle', as: 'owner' })
    const sent = sandbox.callbacks.at(-1)
    if (!sent) throw new Error(`${request.operationId} ${request.name}: no callback came`)
    return sent
  })
}

export const successOf = (route: Route): number =>
  Number(Object.keys(route.operation.responses ?? {}).find((status) => /^2\d\d$/.test(status)))

/** Adds the description's examples for path parameters that the request omits. */
function parametersOf(document: OpenApiDocument, route: Route, { parameters = {} }: ExampleRequest) {
  const values: Record<string, unknown> = {}
  for (const reference of route.parameters) {
    const { name, required, example } = resolve<Parameter & { example?: unknown }>(document, reference)
    const value = parameters[name] ?? (required ? example : undefined)
    if (value !== undefined) values[name] = value
  }
  // Undeclared parameters are sent too: the example may show their rejection.
  return { ...values, ...parameters }
}

function addressOf(document: OpenApiDocument, route: Route, values: Readonly<Record<string, unknown>>) {
  const declared = route.parameters.map((each) => resolve<Parameter>(document, each))
  const placeOf = (name: string) => declared.find((each) => each.name === name)?.in ?? 'query'
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    if (placeOf(name) === 'query') query.append(name, String(value))
    if (placeOf(name) === 'header') headers[name] = String(value)
  }
  return { path: query.size > 0 ? `${path}?${query}` : path, headers }
}

/** Replaces values that differ between runs and truncates lists. @throws {Error} If a field does not exist */
function asShown({ body }: Answered, { varies = {}, shows = {} }: ExampleRequest): unknown {
  if (body === '') return undefined
  for (const [pointer, shown] of Object.entries(varies)) replaceIn(body, pointer, () => shown)
  for (const [pointer, most] of Object.entries(shows))
    replaceIn(body, pointer, (list) => (list as readonly unknown[]).slice(0, most))
  return body
}

function replaceIn(body: unknown, pointer: string, change: (value: unknown) => unknown): void {
  const keys = pointer.slice(1).split('/')
  const last = keys.pop()!
  const holder = keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], body)
  if (typeof holder !== 'object' || holder === null || !(last in holder))
    throw new Error(`the answer has nothing at ${pointer}`)
  const fields = holder as Record<string, unknown>
  fields[last] = change(fields[last])
}
