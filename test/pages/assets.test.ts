import { existsSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { files } from '../../src/files.ts'
import { asset } from '../../src/pages/asset.ts'
import { startPages } from './pages.ts'
import { Hono } from 'hono'

const { get, bytes } = await startPages()

const assets = [
  '/openapi.json',
  '/openapi.yaml',
  '/sandbox/openapi.json',
  '/sandbox/openapi.yaml',
  '/sandbox/provenance',
  '/sandbox/scenario.schema.json',
  '/docs/service.json',
  '/docs/control.json',
  '/docs/service.json?operation=createCollection',
  '/docs/start.js',
  '/docs/embed.js',
  '/docs/viewer.css',
  '/docs/guides',
  '/docs/guides/callbacks.md',
  '/llms.txt',
  '/llms-full.txt',
  '/docs/operations/createCollection.md',
  ...(existsSync(files.viewer) ? ['/docs/scalar.js'] : []),
]

describe.each(assets)('%s', (path) => {
  it('is sent compressed to who takes that, and is the same for all', async () => {
    const plain = await bytes(path)
    const zipped = await bytes(path, { 'accept-encoding': 'gzip, deflate' })
    const brotli = await bytes(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(brotli.headers.get('content-encoding')).toBe('br')
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true)
    for (const { headers } of [plain, zipped, brotli]) expect(headers.get('vary')).toMatch(/Accept-Encoding/)
  })

  it('is not sent again to who has it', async () => {
    const first = await bytes(path, { 'accept-encoding': 'br' })
    const tag = first.headers.get('etag')!
    const again = await bytes(path, { 'accept-encoding': 'br', 'if-none-match': `"other", W/${tag}` })
    expect([again.status, again.body.length, again.headers.get('etag')]).toEqual([304, 0, tag])
    expect(again.headers.get('cache-control')).toMatch(/no-cache|max-age/)
    expect((await bytes(path, { 'accept-encoding': 'gzip', 'if-none-match': tag })).status).toBe(200)
  })
})

it('an encoding that is refused is not taken', async () => {
  const { headers } = await bytes('/openapi.json', { 'accept-encoding': 'br;q=0, gzip;q=0.1' })
  expect(headers.get('content-encoding')).toBe('gzip')
  expect(
    (await bytes('/openapi.json', { 'accept-encoding': 'identity' })).headers.get('content-encoding'),
  ).toBeNull()
})

it('what another origin has may be told unchanged to its script', async () => {
  const tag = (await get('/openapi.json')).headers.get('etag')!
  const again = await get('/openapi.json', { origin: 'https://anyone.example', 'if-none-match': tag })
  expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*'])
})

it('what could not be made is made at the next request', async () => {
  const made = [Promise.reject(new Error('not yet')), Promise.resolve('there')]
  made[0]!.catch(() => {})
  const app = new Hono()
  app.get('/', asset({ type: 'text/plain', make: () => made.shift()! }))
  app.onError((error, c) => c.text(error.message, 500))
  expect((await app.request('/')).status).toBe(500)
  expect(await (await app.request('/')).text()).toBe('there')
})
