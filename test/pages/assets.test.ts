import { existsSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { files } from '../../src/lib/files.ts'
import { addressedAsset, asset } from '../../src/pages/asset.ts'
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
  '/sandbox/overlay.schema.json',
  '/sandbox/report.schema.json',
  '/docs/service.json',
  '/docs/control.json',
  '/docs/service.json?operation=createCollection',
  '/docs/start.js',
  '/docs/embed.js',
  '/docs/viewer.css',
  '/docs/guides',
  '/docs/guides/receive-callbacks.md',
  '/docs/collections/service.http',
  '/docs/skill.md',
  '/openapi.json?validation=lenient',
  '/openapi.yaml?validation=lenient',
  '/docs/service.json?validation=lenient',
  '/llms.txt',
  '/llms-full.txt',
  '/docs/operations/createCollection.md',
  ...(existsSync(files.viewer) ? ['/docs/scalar.js'] : []),
]

describe.each(assets)('%s', (path) => {
  it('is compressed for clients that accept it, with equal content for all', async () => {
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

  it('responds with 304 if the client has it', async () => {
    const first = await bytes(path, { 'accept-encoding': 'br' })
    const tag = first.headers.get('etag')!
    const again = await bytes(path, { 'accept-encoding': 'br', 'if-none-match': `"other", W/${tag}` })
    expect([again.status, again.body.length, again.headers.get('etag')]).toEqual([304, 0, tag])
    expect(again.headers.get('cache-control')).toMatch(/no-cache|max-age/)
    expect((await bytes(path, { 'accept-encoding': 'gzip', 'if-none-match': tag })).status).toBe(200)
  })
})

it('does not use an encoding with weight 0', async () => {
  const { headers } = await bytes('/openapi.json', { 'accept-encoding': 'br;q=0, gzip;q=0.1' })
  expect(headers.get('content-encoding')).toBe('gzip')
  expect(
    (await bytes('/openapi.json', { 'accept-encoding': 'identity' })).headers.get('content-encoding'),
  ).toBeNull()
})

it('shares its ETag with scripts of other origins', async () => {
  const tag = (await get('/openapi.json')).headers.get('etag')!
  const again = await get('/openapi.json', { origin: 'https://anyone.example', 'if-none-match': tag })
  expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*'])
})

it('is made again after a failure', async () => {
  const made = [Promise.reject(new Error('not yet')), Promise.resolve('there')]
  made[0]!.catch(() => {})
  const app = new Hono()
  app.get('/', asset({ type: 'text/plain', make: () => made.shift()! }))
  app.onError((error, c) => c.text(error.message, 500))
  expect((await app.request('/')).status).toBe(500)
  expect(await (await app.request('/')).text()).toBe('there')
})

describe('a text that contains the sandbox’s address', () => {
  const at = (host: string) => new Request(`http://${host}/`)

  it('is rendered once, regardless of Host headers', async () => {
    let rendered = 0
    const app = new Hono()
    app.get(
      '/',
      addressedAsset({
        type: 'text/plain',
        make: async ({ origin, mount }) => `${++rendered} ${origin}/a ${mount}/b ${origin}`,
      }),
    )
    const answers = []
    for (let n = 0; n < 20; n++) answers.push(await app.fetch(at(`h${n}.example`)))
    expect(rendered).toBe(1)
    for (const [n, answer] of answers.entries())
      expect(await answer.text()).toBe(`1 http://h${n}.example/a /b http://h${n}.example`)
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(20)
  })

  it('is compressed for a few addresses and sent uncompressed for others', async () => {
    const app = new Hono()
    app.get('/', addressedAsset({ type: 'text/plain', make: async ({ origin }) => origin.repeat(100) }))
    const encodings = []
    for (let n = 0; n < 20; n++) {
      const { headers } = await app.fetch(
        new Request(at(`h${n}.example`), { headers: { 'accept-encoding': 'gzip' } }),
      )
      encodings.push(headers.get('content-encoding'))
    }
    expect(encodings.filter((each) => each === 'gzip')).toHaveLength(4)
    expect(encodings.slice(4).every((each) => each === null)).toBe(true)
  })

  it('shares the bytes of a long text between responses', async () => {
    const app = new Hono()
    app.get('/', asset({ type: 'text/plain', make: async () => 'a'.repeat(1_000_000) }))
    const buffers = new Set<ArrayBufferLike>()
    for (let n = 0; n < 3; n++) {
      const body = (await app.fetch(at('sandbox'))).body as unknown as AsyncIterable<Uint8Array>
      for await (const { buffer, length } of body) {
        buffers.add(buffer)
        expect(length).toBeLessThanOrEqual(65_536)
      }
    }
    expect(buffers.size).toBe(1)
  })

  it.each([
    ...assets,
    '/docs/guides/several-processes',
    '/docs/guides/hosting',
    '/docs/guides/README',
    '/docs/embed/createCollection.json',
    '/docs/operations/getWorld.md',
  ])('%s contains the client’s address', async (path) => {
    const accept = path.includes('guides') ? 'text/html' : '*/*'
    const { text } = await get(path, { accept })
    expect(text).not.toMatch(/sandbox\.invalid/)
  })
})
