/**
 * The second half of `npm run generate`: sends the requests of openapi/examples to a sandbox with the code from the first
 * half, and writes the served descriptions with its responses.
 */
import { join } from 'node:path'
import { loadPath } from '../src/scenarios/read.ts'
import { describe, readDescribed, served } from './described.ts'
import { lintDescription } from './read-description.ts'
import { renderDocument } from './render.ts'
import { writeFiles } from './write-files.ts'
import {
  type Callback,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Reference,
} from './document.ts'
import { stringify } from 'yaml'
import { httpFile } from '../src/pages/collections/http-file.ts'
import { overlayOf } from '../src/pages/collections/plain.ts'

/** The tag of webhooks. openapi-generator writes one class per tag, and drops the paths of a tag that has webhooks. */
const tag = {
  name: 'Callbacks',
  description: 'Requests to the `callback_url` of a payment, sent when its result is final.',
}

/**
 * Returns the description with its callbacks also under `webhooks`, where type generators for receivers expect them.
 * Both refer to one body.
 */
function withWebhooks(document: OpenApiDocument): OpenApiDocument {
  const whole = structuredClone(document)
  const told = operationsOf(whole).flatMap(({ operation }) =>
    Object.values(operation.callbacks ?? {}).map((callback) => webhookOf(callback)),
  )
  if (told.length === 0) return document
  const { paths, components, ...head } = whole
  return {
    ...head,
    tags: [...(whole.tags ?? []), tag],
    paths,
    webhooks: Object.fromEntries(told.map(({ name, item }) => [name, item])),
    components: {
      ...components,
      requestBodies: Object.fromEntries(told.map(({ component, body }) => [component, body])),
    },
  }
}

/** `receiveCollectionResult` is the webhook `collectionResult`, and its body the component `CollectionResult`. */
function webhookOf(callback: Callback | Reference) {
  const [item] = Object.values(callback as Callback) as { post?: Operation & { requestBody?: unknown } }[]
  const { post } = item ?? {}
  const [, first, rest] = /^receive(\w)(\w+)$/.exec(post?.operationId ?? '') ?? []
  if (!post || first === undefined)
    throw new Error(`the callback ${post?.operationId} is not called receive…`)
  const name = first.toLowerCase() + rest
  const component = first + rest
  const body = post.requestBody
  post.requestBody = { $ref: `#/components/requestBodies/${component}` }
  return { name, item: { post: { ...post, operationId: name, tags: [tag.name] } }, component, body }
}

const BASE = 'http://127.0.0.1:8080'
const USER = { username: 'demo', password: 'demo' }

/** Returns the request collections for other tools by file name, as a local sandbox serves them below `/docs/collections`. */
function collectionsOf(api: string, document: OpenApiDocument): ReadonlyMap<string, string> {
  const requests = new Map([[`${api}.http`, httpFile(document, BASE, USER)]])
  if (api !== 'service') return requests
  return requests.set('plain.overlay.yaml', stringify(overlayOf(document), { lineWidth: 0 }))
}

const scenarios = await loadPath('scenarios')
try {
  for (const each of served) {
    const document = withWebhooks(await describe(await readDescribed(each, scenarios), each))
    const changed = [
      ...(await writeFiles(each.folder, new Map([['openapi.json', renderDocument(document)]]))),
      ...(await writeFiles('collections', collectionsOf(each.folder.split('/').at(-1)!, document))),
    ]
    for (const path of changed) console.log(`wrote ${path}`)
    await lintDescription(join(each.folder, 'openapi.json'))
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
