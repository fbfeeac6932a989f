/** The operations that words apply to, and the responses that operations declare. */
import type { z } from 'zod'
import { routes } from '../generated/service/routes.ts'

interface DeclaredRoute {
  readonly operationId: string
  readonly request?: { readonly body?: unknown; readonly params?: unknown; readonly query?: unknown }
  readonly responses: { readonly [status: string]: unknown }
}

const byId: { readonly [id: string]: DeclaredRoute } = routes

export const operationNames: readonly string[] = Object.keys(routes)
export const moneyOperations = ['createCollection', 'createWithdrawal', 'createGlobalPayment'] as const
export const kycOperations = ['submitKyc', 'amendKyc'] as const
export const channelOperations = ['createCollection', 'createGlobalPayment'] as const

/** Error statuses of the legacy endpoints, whose routes are loaded on demand. */
const OLDER = [400, 401, 403, 404, 429, 500, 502, 503, 504]

export const statusesOf = (operation: string): readonly number[] =>
  byId[operation] ? Object.keys(byId[operation].responses).map(Number) : OLDER

/** Returns the schema of a response body, or undefined if the operation does not declare the status. */
export const answerSchema = (operation: string, status: number): z.ZodType | undefined =>
  schemaIn(byId[operation]?.responses[status])

type Shape = { readonly [name: string]: z.ZodType }

/** Returns the fields of a part of a request, or undefined if the operation has no such part. */
export function requestShape(operation: string, part: 'body' | 'query' | 'path'): Shape | undefined {
  const request = byId[operation]?.request
  const schema =
    part === 'body' ? schemaIn(request?.body) : part === 'query' ? request?.query : request?.params
  return shapeOf(schema)
}

/** Returns the fields of an object schema, which may be optional or nullable; undefined for other schemas. */
export function shapeOf(schema: unknown): Shape | undefined {
  const { shape, def } = (schema ?? {}) as { shape?: Shape; def?: { innerType?: unknown } }
  return shape ?? (def?.innerType ? shapeOf(def.innerType) : undefined)
}

function schemaIn(media: unknown): z.ZodType | undefined {
  const { content } = (media ?? {}) as {
    content?: { readonly [type: string]: { readonly schema: z.ZodType } }
  }
  return content?.['application/json']?.schema
}
