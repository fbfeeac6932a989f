import { stringify } from 'yaml'
import { httpFile } from '../src/pages/collections/http-file.ts'
import { overlayOf } from '../src/pages/collections/plain.ts'
import type { OpenApiDocument } from './document.ts'

const HERE = { base: 'http://127.0.0.1:8080', username: 'demo', password: 'demo' }

/** What other tools take, as a sandbox on this machine serves it below `/docs/collections`: files of `collections/` by their names. */
export function collectionsOf(api: string, document: OpenApiDocument): ReadonlyMap<string, string> {
  const requests = new Map([[`${api}.http`, httpFile(document, HERE)]])
  if (api !== 'service') return requests
  return requests.set('plain.overlay.yaml', stringify(overlayOf(document), { lineWidth: 0 }))
}
