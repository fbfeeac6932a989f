import {
  type Callback,
  type Content,
  methods,
  type OpenApiDocument,
  type Parameter,
  type RequestBody,
  resolve,
  type Response,
  type Route,
  routesOf,
  type Schema,
} from '../../openapi/document.ts'

export interface Example {
  /** Where in the description it stands, for people. */
  readonly where: string
  readonly route: Route
  readonly value: unknown
}

type WithExamples = {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

/** The example requests of each operation. */
export const requestExamples = (document: OpenApiDocument): readonly Example[] =>
  routesOf(document).flatMap((route) => {
    const body = route.operation.requestBody && resolve<RequestBody>(document, route.operation.requestBody)
    // Text in another form than JSON is read by its handler.
    const json = body?.content?.['application/json']
    return json
      ? contentExamples(`${route.id} request`, route, { content: { 'application/json': json } })
      : []
  })

/** The example answers of each operation, with their status and the names of declared headers. */
export const responseExamples = (document: OpenApiDocument) =>
  routesOf(document).flatMap((route) =>
    Object.entries(route.operation.responses ?? {}).flatMap(([status, reference]) => {
      const response = resolve<Response & { readonly headers?: object }>(document, reference)
      const headers = Object.keys(response.headers ?? {})
      const examples = contentExamples(`${route.id} ${status}`, route, response)
      return examples.map((example) => ({ ...example, status, headers }))
    }),
  )

/** The example bodies of each operation's callbacks, with the callback's name. */
export const callbackExamples = (document: OpenApiDocument) =>
  routesOf(document).flatMap((route) =>
    Object.entries(route.operation.callbacks ?? {}).flatMap(([name, reference]) =>
      Object.values(resolve<Callback>(document, reference))
        .flatMap((item) => methods.flatMap((method) => item[method]?.requestBody ?? []))
        .flatMap((body) =>
          contentExamples(`${route.id} ${name}`, route, resolve<RequestBody>(document, body)),
        )
        .map((example) => ({ ...example, name })),
    ),
  )

/** The examples of each operation's parameters, with the parameter. */
export const parameterExamples = (document: OpenApiDocument) =>
  routesOf(document).flatMap((route) =>
    route.parameters.flatMap((reference) => {
      const parameter = resolve<Parameter & WithExamples>(document, reference)
      return exampleValues(`${route.id} ${parameter.name}`, route, parameter).map((example) => ({
        ...example,
        parameter,
      }))
    }),
  )

/** The values that a schema gives as its examples. */
export const schemaExamples = (
  schema: Schema & { readonly example?: unknown; readonly examples?: readonly unknown[] },
): readonly unknown[] => [...('example' in schema ? [schema.example] : []), ...(schema.examples ?? [])]

const contentExamples = (where: string, route: Route, { content }: Content): readonly Example[] =>
  Object.values(content ?? {}).flatMap((media) => exampleValues(where, route, media as WithExamples))

function exampleValues(where: string, route: Route, { example, examples }: WithExamples): readonly Example[] {
  const named = Object.entries(examples ?? {}).map(([name, { value }]) => ({
    where: `${where} ${name}`,
    value,
  }))
  const all = example === undefined ? named : [{ where, value: example }, ...named]
  return all.map((one) => ({ ...one, route }))
}
