import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { OpenApiDocument, Parameter } from '../../openapi/document.ts'
import { control } from '../../src/control/control.ts'
import type { ControlDependencies } from '../../src/control/dependencies.ts'
import * as controlCallbacks from '../../src/generated/control/callbacks.ts'
import * as controlRoutes from '../../src/generated/control/routes.ts'
import * as controlSchemas from '../../src/generated/control/schemas.ts'
import * as extensionCallbacks from '../../src/generated/extensions/callbacks.ts'
import * as extensionRoutes from '../../src/generated/extensions/routes.ts'
import * as extensionSchemas from '../../src/generated/extensions/schemas.ts'
import * as serviceCallbacks from '../../src/generated/service/callbacks.ts'
import * as serviceRoutes from '../../src/generated/service/routes.ts'
import * as serviceSchemas from '../../src/generated/service/schemas.ts'
import { extensions } from '../../src/service/operations/extensions/extensions.ts'
import { operations } from '../../src/service/operations/operations.ts'

type Media = Readonly<Record<string, { readonly schema: z.ZodType }>>

/** A generated route, as far as tests go through it by name. */
export interface GeneratedRoute {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly request?: {
    readonly params?: z.ZodObject
    readonly query?: z.ZodObject
    readonly headers?: z.ZodObject
    readonly body?: { readonly content: Media }
  }
  readonly responses: Readonly<Record<string, { readonly content: Media }>>
}

/** A description with everything that is made of it. */
export interface Description {
  readonly name: string
  /** Where it is written by hand. */
  readonly source: string
  /** Where what is made of it is kept. */
  readonly folder: string
  readonly document: OpenApiDocument
  readonly routes: Readonly<Record<string, GeneratedRoute>>
  readonly documentedBodies: Readonly<Record<string, z.ZodType>>
  readonly callbacks: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>
  readonly schemas: Readonly<Record<string, () => z.ZodType>>
  /** What answers, by operation id. */
  readonly handlers: Readonly<Record<string, unknown>>
}

const documentOf = (name: string) =>
  JSON.parse(readFileSync(`src/generated/${name}/openapi.json`, 'utf8')) as OpenApiDocument

/** What has a sandbox serve all of them. */
export const ALL_SERVED = { SANDBOX_EXTENSIONS: 'on' }

/** The service's description, that of the control API, and that of the API's older generation. */
export const descriptions: readonly Description[] = [
  {
    name: 'service',
    source: 'openapi/openapi.yaml',
    folder: 'src/generated/service',
    document: documentOf('service'),
    ...serviceRoutes,
    ...serviceCallbacks,
    schemas: serviceSchemas,
    handlers: operations,
  },
  {
    name: 'control',
    source: 'openapi/control.yaml',
    folder: 'src/generated/control',
    document: documentOf('control'),
    ...controlRoutes,
    ...controlCallbacks,
    schemas: controlSchemas,
    // Only the names are looked at; nothing is called.
    handlers: control({} as ControlDependencies),
  },
  {
    name: 'extensions',
    source: 'openapi/extensions.yaml',
    folder: 'src/generated/extensions',
    document: documentOf('extensions'),
    ...extensionRoutes,
    ...extensionCallbacks,
    schemas: extensionSchemas,
    handlers: extensions,
  },
]

const places = { path: 'params', query: 'query', header: 'headers' } as const

/** What reads a parameter in the generated route. */
export function readerOf(route: GeneratedRoute, { name, in: place }: Parameter): z.ZodType {
  if (place === 'cookie') throw new Error(`${name} is a cookie, which nothing reads`)
  return route.request![places[place]]!.shape[place === 'header' ? name.toLowerCase() : name] as z.ZodType
}
