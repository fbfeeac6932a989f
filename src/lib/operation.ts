/** The types of generated operations, and what follows from them. */

/** An operation by its input, its responses by status, and its header parameters. */
export interface Operation<Input, Responses, Headers = {}> {
  readonly input: Input
  readonly response: Responses[Exclude<keyof Responses, ErrorStatus<Responses>>]
  readonly refusal: Responses[ErrorStatus<Responses>]
  readonly responses: Responses
  readonly headers: Headers
}

/** The statuses of errors, and ranges such as `4XX`. */
type ErrorStatus<Responses> = {
  [Status in keyof Responses]: `${Status & (string | number)}` extends `${4 | 5}${string}` ? Status : never
}[keyof Responses]

type AnyOperation = { readonly input: unknown; readonly responses: unknown; readonly headers: unknown }

/**
 * The validated request of each operation.
 * @typeParam Defaults - the query parameters with a default, by operation
 * @typeParam Bodies - the bodies that differ from those of clients, by operation
 */
export type RequestsOf<Operations, Defaults, Bodies> = {
  readonly [Id in keyof Operations]: Operations[Id] extends AnyOperation
    ? Received<
        Operations[Id],
        Id extends keyof Defaults ? Defaults[Id] : never,
        Id extends keyof Bodies ? Bodies[Id] : undefined
      >
    : never
}

type Received<Of extends AnyOperation, Default, Body> = {
  readonly [Part in keyof Of['input']]-?: Part extends 'body'
    ? Body extends undefined
      ? NonNullable<Of['input'][Part]>
      : Body
    : Filled<NonNullable<Of['input'][Part]>, Default>
} & (keyof Of['headers'] extends never
  ? {}
  : {
      readonly headers: {
        readonly [Name in keyof Of['headers'] as Lowercase<Name & string>]: Of['headers'][Name]
      }
    })

type Filled<Parameters, Default> = {
  readonly [Name in keyof Parameters as Name extends Default ? never : Name]: Parameters[Name]
} & {
  readonly [Name in keyof Parameters as Name extends Default ? Name : never]-?: Exclude<
    Parameters[Name],
    undefined
  >
}

/**
 * Operations by path and method, in the format of Hono's client and `app.route`.
 * @typeParam Places - the method and URI template of each operation
 */
export type RpcOf<Places, Operations> = {
  [Path in PathOf<Places[keyof Places]>]: {
    [
      Id in keyof Places & keyof Operations as Path extends PathOf<Places[Id]> ? MethodOf<Places[Id]> : never
    ]: Operations[Id] extends AnyOperation ? EndpointOf<Operations[Id]> : never
  }
}

type MethodOf<Place> = Place extends `${infer Method} ${string}` ? `$${Lowercase<Method>}` : never
type PathOf<Place> = Place extends `${string} ${infer Path}` ? WithColons<WithoutQuery<Path>> : never
type WithoutQuery<Path extends string> = Path extends `${infer Plain}{?${string}` ? Plain : Path
type WithColons<Path extends string> = Path extends `${infer Before}{${infer Name}}${infer After}`
  ? `${Before}:${Name}${WithColons<After>}`
  : Path

type EndpointOf<Of extends AnyOperation> = {
  [Status in keyof Of['responses']]: {
    input: RpcInput<Of>
    output: Of['responses'][Status]
    outputFormat: Of['responses'][Status] extends string ? 'text' : 'json'
    status: Status extends number ? Status : number
  }
}[keyof Of['responses']]

type RpcInput<Of extends AnyOperation> = {
  -readonly [Part in keyof Of['input'] as Part extends keyof Parts ? Parts[Part] : Part]: Part extends 'body'
    ? Exclude<Of['input'][Part], undefined>
    : Texts<NonNullable<Of['input'][Part]>>
} & (keyof Of['headers'] extends never ? {} : { header: Texts<Of['headers']> })

interface Parts {
  path: 'param'
  body: 'json'
}

/** Parameters are sent as text. */
type Texts<Parameters> = { -readonly [Name in keyof Parameters]: string }
