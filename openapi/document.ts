/** The parts of a bundled OpenAPI 3.1 document that the generator reads. */

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

export interface Schema {
  readonly $ref?: string
  readonly type?: JsonType | readonly JsonType[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly 'x-lenient-required'?: readonly string[]
  /** For whole numbers: the profile `lenient` also accepts digits as text. */
  readonly 'x-lenient-digits'?: true
  /** For lists: maximum length of a single text that is accepted instead. Some client generators do not support a union with a list. */
  readonly 'x-also-text'?: number
  /** Describes a `pattern` for error messages: `must be …`. */
  readonly 'x-must'?: string
  readonly additionalProperties?: boolean | Schema
  readonly enum?: readonly Literal[]
  readonly const?: Literal
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly maxProperties?: number
  readonly propertyNames?: { readonly maxLength?: number }
  /** For request fields: why handlers do not get the field. */
  readonly 'x-unused'?: string
  /** The table of openapi/accepted-values.ts with the accepted values. The code checks them, and the served schema lists them. */
  readonly 'x-values'?: Values
  /** Why the text has no maximum length. */
  readonly 'x-unbounded'?: string
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly oneOf?: readonly Schema[]
  /** In schemas of files, as zod writes unions and records. */
  readonly anyOf?: readonly Schema[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly description?: string
  readonly allOf?: readonly Schema[]
  readonly default?: unknown
}

export type Values =
  | 'countries'
  | 'iso_countries'
  | 'roles'
  | 'kyc_tiers'
  | 'providers'
  | 'networks'
  | 'kenyan_phones'
  | 'http_urls'
  | 'http_urls_or_empty'
  | 'urls'

export type Literal = string | number | boolean | null

export interface Reference {
  readonly $ref: string
}

export interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

export interface RequestBody extends Content {
  readonly required?: boolean
}

export interface Response extends Content {
  readonly description: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  /** The roles that may call the operation, see openapi/roles.ts. */
  readonly 'x-allowed-roles'?: readonly string[]
  /** Whether the operation is audited, if that does not follow from its roles and method. */
  readonly 'x-audited'?: boolean
  /** Whether the operation is allowed when the row budget of a world is used up: it adds no rows, frees some, or checks the budget itself. */
  readonly 'x-budget-exempt'?: boolean
  /** The module that serves the operation without a generated route. */
  readonly 'x-served-by'?: 'site'
  /** Maximum size of the body in bytes, if it differs from the default. */
  readonly 'x-body-limit'?: number
  /** Empty if no credentials are required. */
  readonly security?: readonly object[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: RequestBody | Reference
  readonly responses?: Readonly<Record<string, Response | Reference>>
  readonly callbacks?: Readonly<Record<string, Callback | Reference>>
}

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
export type Method = (typeof methods)[number]

export type PathItem = { readonly [Name in Method]?: Operation } & Pick<Operation, 'parameters'>

/** Path items by the expression for their URL. */
export type Callback = Readonly<Record<string, PathItem>>

export interface OpenApiDocument {
  readonly openapi: string
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  /** The names of callbacks as webhooks. */
  readonly webhooks?: Readonly<Record<string, PathItem>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** An operation and its location. Parameters of its path item come first. */
export interface Route {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly operation: Operation
  readonly parameters: readonly (Parameter | Reference)[]
}

/** Returns the operations that have a route, in document order. @throws {Error} Like `operationsOf` */
export const routesOf = (document: OpenApiDocument): readonly Route[] =>
  operationsOf(document).filter(({ operation }) => operation['x-served-by'] === undefined)

/**
 * Returns the operations in document order.
 * @throws {Error} If an operation has no operationId, or two have the same
 */
export function operationsOf(document: OpenApiDocument): readonly Route[] {
  const routes: Route[] = []
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method]
      if (!operation) continue
      const id = operation.operationId
      if (!id) throw new Error(`${method} ${path} has no operationId`)
      if (routes.some((route) => route.id === id)) throw new Error(`operationId ${id} is used twice`)
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      routes.push({ id, method, path, operation, parameters })
    }
  }
  return routes
}

/**
 * Returns the target of a reference within the bundled document, or a value that is no reference unchanged.
 * @throws {Error} If the target does not exist
 */
export function resolve<T>(document: OpenApiDocument, value: T | Reference): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  let target: unknown = document
  for (const part of value.$ref.replace(/^#\//, '').split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    target = (target as Record<string, unknown> | undefined)?.[key]
  }
  if (target === undefined) throw new Error(`${value.$ref} points at nothing`)
  return resolve(document, target as T | Reference)
}

/** Returns the name of the component in a `$ref`. */
export function componentName(ref: string): string {
  const name = /^#\/components\/schemas\/([A-Za-z_]\w*)$/.exec(ref)?.[1]
  if (!name) throw new Error(`${ref} must point at a component schema whose name is an identifier`)
  return name
}

/** Returns the request body of an operation. */
export const bodyOf = (document: OpenApiDocument, route: Route): RequestBody | undefined =>
  route.operation.requestBody && resolve<RequestBody>(document, route.operation.requestBody)
