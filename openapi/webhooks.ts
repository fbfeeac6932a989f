import {
  type Callback,
  type OpenApiDocument,
  operationsOf,
  type PathItem,
  type Reference,
} from './document.ts'

/**
 * A description that tells of its callbacks under `webhooks`, too, where makers of types for receivers look for them: each by its
 * name, which is what it tells.
 */
export function withWebhooks(document: OpenApiDocument): OpenApiDocument {
  const told = operationsOf(document).flatMap(({ operation }) =>
    Object.values(operation.callbacks ?? {}).map((callback) => webhookOf(callback)),
  )
  if (told.length === 0) return document
  const { paths, components, ...head } = document
  return { ...head, paths, webhooks: Object.fromEntries(told), ...(components && { components }) }
}

/** `receiveCollectionResult` is the webhook `collectionResult`. */
function webhookOf(callback: Callback | Reference): readonly [name: string, item: PathItem] {
  const [item] = Object.values(callback as Callback)
  const id = item?.post?.operationId ?? ''
  const [, first, rest] = /^receive(\w)(\w+)$/.exec(id) ?? []
  if (first === undefined) throw new Error(`the callback ${id} is not called receive…`)
  const name = first.toLowerCase() + rest
  return [name, { post: { ...item!.post, operationId: name } }]
}
