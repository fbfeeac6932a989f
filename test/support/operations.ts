import {
  type Callback,
  type OpenApiDocument,
  type RequestBody,
  resolve,
  type Response,
  type Route,
  routesOf,
  type Schema,
} from '../../openapi/document.ts'
import type { DescribedHeaders } from './answer-headers.ts'
import { type Faults, jsonSchemas } from './json-schemas.ts'

/** An operation by its id, or the request that was made; the path may carry a query. */
export type Asked = string | { readonly method: string; readonly path: string }

export interface DescribedOperation {
  readonly document: OpenApiDocument
  readonly route: Route
  /** Checks values against schemas of the operation's document. */
  readonly faults: Faults
}

/**
 * Finds operations of documents: by id, or by a concrete request (`GET /api/v2/account/63`; HEAD counts as GET), for
 * which there may be none. Of two paths that match, the one with fewer variables is meant.
 */
export function operationFinder(documents: readonly OpenApiDocument[]) {
  const operations = documents.flatMap((document) => {
    const faults = jsonSchemas(document)
    return routesOf(document).map((route) => ({
      document,
      route,
      faults,
      parts: route.path.split(/\{\w+\}/),
    }))
  })
  const closestFirst = operations
    .toSorted((one, other) => one.parts.length - other.parts.length)
    .map((operation) => ({ operation, form: pathForm(operation.parts) }))

  return {
    all: operations as readonly DescribedOperation[],
    byId(id: string): DescribedOperation {
      const operation = operations.find(({ route }) => route.id === id)
      if (!operation) throw new Error(`the description has no operation ${id}`)
      return operation
    },
    byRequest(request: { readonly method: string; readonly path: string }): DescribedOperation | undefined {
      const method = isHead(request) ? 'get' : request.method.toLowerCase()
      const path = request.path.split('?')[0]!
      const fitting = closestFirst.filter(({ form }) => form.test(path))
      // A path that is there as it stands is no parameter of another.
      const exact = fitting.filter(({ operation }) => operation.route.path === path)
      return (exact.length > 0 ? exact : fitting).find(({ operation }) => operation.route.method === method)
        ?.operation
    },
  }
}

export const isHead = (asked: Asked) => typeof asked !== 'string' && asked.method.toUpperCase() === 'HEAD'

/** What an operation declares for a status; undefined when it declares nothing. */
export function declaredAnswer({ document, route }: DescribedOperation, status: number) {
  const responses = route.operation.responses ?? {}
  const answer = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses['default']
  return answer && resolve<Response & DescribedHeaders>(document, answer)
}

/** The schemas of the bodies that an operation's callbacks send. */
export const callbackSchemas = ({ document, route }: DescribedOperation): readonly Schema[] =>
  Object.values(route.operation.callbacks ?? {}).flatMap((callback) =>
    Object.values(resolve<Callback>(document, callback)).flatMap(({ post }) => {
      const body = post?.requestBody && resolve<RequestBody>(document, post.requestBody)
      return body?.content?.['application/json']?.schema ?? []
    }),
  )

const pathForm = (parts: readonly string[]) =>
  new RegExp(`^${parts.map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&')).join('[^/]+')}$`)

/** Whether it may be asked for without credentials, though there are some for it. */
export const isForAnybody = ({ security }: Route['operation']): boolean =>
  security?.some((each) => Object.keys(each).length === 0) ?? false
