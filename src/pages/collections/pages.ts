import type { Hono } from 'hono'
import { stringify } from 'yaml'
import { descriptionJson } from '../../lib/files.ts'
import type { Env } from '../../http/exchange.ts'
import { addressedAsset, asset, types, unlessKnown, untilMade } from '../asset.ts'
import { apisOf, type PageOptions } from '../page.ts'
import type { Part } from '../viewer/description.ts'
import { shareWith } from '../viewer/policy.ts'
import { httpFile } from './http-file.ts'
import { overlayOf, plainOf } from './plain.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Collections for other tools below `/docs/collections`, rendered on first use. */
export function collectionPages(app: Hono<Env>, options: PageOptions): void {
  const shared = shareWith(options.embedOrigins)
  for (const api of apisOf(options)) {
    const read = untilMade(async () => JSON.parse(await descriptionJson(api)) as Part)
    const file = addressedAsset({
      type: types.txt,
      headers: { 'content-disposition': `attachment; filename="${api}.http"` },
      make: async ({ origin }) => httpFile(await read(), origin, options.guide),
    })
    app.get(`/docs/collections/${api}.http`, shared, unlessKnown, file)
  }
  const service = async () => JSON.parse(await descriptionJson('service')) as Part
  const documents = [
    { path: 'plain.json', type: JSON_TYPE, make: async () => json(plainOf(await service())) },
    { path: 'plain.yaml', type: types.yaml, make: async () => yaml(plainOf(await service())) },
    { path: 'plain.overlay.yaml', type: types.yaml, make: async () => yaml(overlayOf(await service())) },
  ]
  for (const { path, type, make } of documents)
    app.get(`/docs/collections/${path}`, shared, unlessKnown, asset({ type, make }))
}

const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`
const yaml = (document: object) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
