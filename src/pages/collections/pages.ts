import type { Hono } from 'hono'
import { stringify } from 'yaml'
import { descriptionJson } from '../../lib/files.ts'
import type { Env } from '../../http/exchange.ts'
import type { Guide } from '../../worlds/guide.ts'
import { addressedAsset, asset, unlessKnown, untilMade } from '../asset.ts'
import type { Part } from '../viewer/description.ts'
import { type EmbedOrigins, shareWith } from '../viewer/policy.ts'
import { httpFile } from './http-file.ts'
import { overlayOf, plainOf } from './plain.ts'

interface CollectionOptions {
  readonly guide: Guide
  readonly embedOrigins: EmbedOrigins
  /** Whether the legacy endpoints are served. */
  readonly extensions: boolean
}

const JSON_TYPE = 'application/json; charset=utf-8'
const YAML_TYPE = 'application/yaml; charset=utf-8'

/** Collections for other tools below `/docs/collections`, rendered on first use. */
export function collectionPages(
  app: Hono<Env>,
  { guide, embedOrigins, extensions }: CollectionOptions,
): void {
  const apis = extensions
    ? (['service', 'control', 'extensions'] as const)
    : (['service', 'control'] as const)
  const shared = shareWith(embedOrigins)
  const { username, password } = guide
  for (const api of apis) {
    const read = untilMade(async () => JSON.parse(await descriptionJson(api)) as Part)
    const file = addressedAsset({
      type: 'text/plain; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="${api}.http"` },
      make: async ({ origin }) => httpFile(await read(), { base: origin, username, password }),
    })
    app.get(`/docs/collections/${api}.http`, shared, unlessKnown, file)
  }
  const service = async () => JSON.parse(await descriptionJson('service')) as Part
  const documents = [
    { path: 'plain.json', type: JSON_TYPE, make: async () => json(plainOf(await service())) },
    { path: 'plain.yaml', type: YAML_TYPE, make: async () => yaml(plainOf(await service())) },
    { path: 'plain.overlay.yaml', type: YAML_TYPE, make: async () => yaml(overlayOf(await service())) },
  ]
  for (const { path, type, make } of documents)
    app.get(`/docs/collections/${path}`, shared, unlessKnown, asset({ type, make }))
}

const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`
const yaml = (document: object) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
