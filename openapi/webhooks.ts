import {
  type Callback,
  type OpenApiDocument,
  operationsOf,
  type PathItem,
  type Reference,
} from './document.ts'

/** A tag of their own: openapi-generator writes one class per tag, and drops the paths of a tag that webhooks share. */
const tag = {
  name: 'Callbacks',
  description: 'Requests to the `callback_url` of a payment, sent when its result is final.',
}

/** Returns the description with each of its callbacks listed under `webhooks`, where generators of types for receivers expect it. */
export function withWebhooks(document: OpenApiDocument): OpenApiDocument {
  const told = operationsOf(document).flatMap(({ operation }) =>
    Object.values(operation.callbacks ?? {}).map((callback) => webhookOf(callback)),
  )
  if (told.length === 0) return document
  const { paths, components, ...head } = document
  return {
    ...head,
    tags: [...(document.tags ?? []), tag],
    paths,
    webhooks: Object.fromEntries(told),
    ...(components && { components }),
  }
}

/** `receiveCollectionResult` is the webhook `collectionResult`. */
function webhookOf(callback: Callback | Reference): readonly [name: string, item: PathItem] {
  const [item] = Object.values(callback as Callback)
  const id = item?.post?.operationId ?? ''
  const [, first, rest] = /^receive(\w)(\w+)$/.exec(id) ?? []
  if (first === undefined) throw new Error(`the callback ${id} is not called receive…`)
  const name = first.toLowerCase() + rest
  return [name, { post: { ...item!.post, operationId: name, tags: [tag.name] } }]
}
