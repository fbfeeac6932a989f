/** Which words fit which operation, and the answers that operations declare. */
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

/** What an operation of the API's older generation, whose routes are loaded with it, may be refused with when a request asks for it. */
const OLDER = [400, 401, 403, 404, 429, 500, 502, 503, 504]

/** The statuses that an operation can be answered with. */
export const statusesOf = (operation: string): readonly number[] =>
  byId[operation] ? Object.keys(byId[operation].responses).map(Number) : OLDER

/** The schema of an answer's body, or undefined when the operation does not declare the status. */
export const answerSchema = (operation: string, status: number): z.ZodType | undefined =>
  schemaIn(byId[operation]?.responses[status])

type Shape = { readonly [name: string]: z.ZodType }

/** The fields of a part of an operation's request; undefined when it has no such part. */
export function requestShape(operation: string, part: 'body' | 'query' | 'path'): Shape | undefined {
  const request = byId[operation]?.request
  const schema =
    part === 'body' ? schemaIn(request?.body) : part === 'query' ? request?.query : request?.params
  return shapeOf(schema)
}

/** The fields within a schema that may be optional or nullable; undefined when it is no object. */
export function shapeOf(schema: unknown): Shape | undefined {
  const inner = schema as
    | { shape?: Shape; unwrap?: () => unknown; def?: { type: string; innerType?: unknown } }
    | undefined
  if (inner?.shape) return inner.shape
  const wrapped = inner?.def?.innerType
  return wrapped ? shapeOf(wrapped) : undefined
}

function schemaIn(media: unknown): z.ZodType | undefined {
  const { content } = (media ?? {}) as {
    content?: { readonly [type: string]: { readonly schema: z.ZodType } }
  }
  return content?.['application/json']?.schema
}
