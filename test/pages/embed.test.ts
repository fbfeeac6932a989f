import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleEmbed } from '../../build/embed.ts'
import { files } from '../../src/lib/files.ts'
import type { BuiltElement } from '../../src/pages/embed/pages.ts'
import { hosted } from '../support/sandbox.ts'
import { startPages } from './pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'embed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
await bundleEmbed(folder)
await bundleEmbed(fileURLToPath(files.embed))
const built = JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8')) as BuiltElement

const docs = 'https://docs.example'
const { get, bytes } = await startPages({ SANDBOX_CORS_ORIGINS: `${docs},https://*.preview.example` })

const packed = (text: string | Buffer) => gzipSync(text, { level: 9 }).length / 1024

describe('the files of the element', () => {
  it('are at most 30 KB compressed, including the longest operation', async () => {
    const script = await get('/docs/embed.js')
    const renderer = await get(`/docs/embed/${built.renderer}`)
    const sheet = await get('/docs/embed/createGlobalPayment.json')
    expect(packed(script.text)).toBeLessThan(5)
    const all = packed(script.text) + packed(renderer.text) + packed(sheet.text)
    expect(all).toBeGreaterThan(10)
    expect(all).toBeLessThanOrEqual(30)
  })

  it('are served by the sandbox, to other sites too, and revalidated by ETag', async () => {
    for (const path of ['/docs/embed.js', '/docs/embed.css', '/docs/embed/createCollection.json']) {
      const { status, headers } = await get(path, { origin: docs })
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 200, '*'])
      const again = await get(path, { origin: docs, 'if-none-match': headers.get('etag')! })
      expect([path, again.status]).toEqual([path, 304])
    }
  })

  it('are immutable', async () => {
    const { status, headers } = await bytes(`/docs/embed/${built.renderer}`, { 'accept-encoding': 'br' })
    expect([status, headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it.each([
    '/docs/embed/show-0.js',
    '/docs/embed/built.json',
    '/docs/embed/resetWorld.json',
    '/docs/embed/..%2f.js',
  ])('return 404 for %s', async (path) => expect((await get(path)).status).toBe(404))

  it('neither create markup from text nor run text as code', () => {
    const text = built.shell + readFileSync(join(folder, built.renderer), 'utf8')
    expect(text).not.toMatch(/\beval\(|new Function|insertAdjacentHTML|document\.write/)
  })
})

describe('GET /docs/embed/{operation}.json', () => {
  const sheet = async (operation: string, headers: Record<string, string> = {}) =>
    (await get(`/docs/embed/${operation}.json`, headers)).json

  it('returns the fields with their rules, including nested objects', async () => {
    const { body, method, path } = await sheet('createGlobalPayment')
    expect([method, path]).toEqual(['POST', '/api/global/payments'])
    expect(body).toContainEqual(
      expect.objectContaining({
        name: 'payment_config.reference',
        required: true,
        rules: ['at most 255 characters'],
      }),
    )
    expect(body).toContainEqual(
      expect.objectContaining({
        name: 'transaction_channel',
        options: ['momo', 'bank', 'card'],
        sure: 'assumed',
      }),
    )
  })

  it('returns examples, successful ones first, with callbacks to the sender’s inbox', async () => {
    const { examples } = await sheet('createCollection')
    const statuses = examples.map(({ status }: { status: number }) => status)
    expect(statuses.slice(0, 4)).toEqual([201, 201, 201, 400])
    expect(examples[0].value.callback_url).toBe('http://sandbox.test/sandbox/inbox/default?key=own')
  })

  it('names the response field that identifies the callback', async () => {
    expect((await sheet('createCollection')).callback.reference).toBe('reference')
    expect((await sheet('createGlobalPayment')).callback.reference).toBe('merchant_reference')
    expect((await sheet('getAccount')).callback).toBeUndefined()
  })

  it('returns formatted text as data', async () => {
    const { about } = await sheet('createCollection')
    expect(about[0]).toEqual({
      name: 'p',
      in: ['Starts a collection in Kenya. The fields sent decide its kind:'],
    })
    expect(about[1].name).toBe('table')
  })

  it.each([
    ['the sandbox itself', {}, true],
    ['a named origin', { origin: docs }, true],
    ['a subdomain that a wildcard names', { origin: 'https://pr-7.preview.example' }, true],
    ['another origin', { origin: 'https://evil.example' }, false],
    ['the name of a wildcard itself', { origin: 'https://preview.example' }, false],
    ['a name that ends alike', { origin: 'https://evilpreview.example' }, false],
  ])('returns whether %s may send requests', async (_who, headers, mayTry) => {
    expect((await sheet('createCollection', headers as Record<string, string>)).mayTry).toBe(mayTry)
  })

  it('returns public credentials only', async () => {
    expect((await sheet('getAccount')).credentials).toEqual({ username: 'demo', password: 'demo' })
    const secret = await startPages({ SANDBOX_API_PASSWORD: 'not to be shown' })
    expect((await secret.get('/docs/embed/getAccount.json')).text).not.toMatch(/not to be shown|credentials/)
    const readers = await startPages({ ...hosted, SANDBOX_READER_WORLDS: 'on' })
    expect((await readers.get('/docs/embed/getAccount.json')).json).toMatchObject({ reader: '/docs/reader' })
  })

  it('returns 404 with all operations', async () => {
    const { status, json } = await get('/docs/embed/nothing.json', { origin: docs })
    expect(status).toBe(404)
    expect(json.error_message).toMatch(/^no operation nothing can be embedded; there are .*createCollection/)
    const { error_message } = (await get('/docs/embed/createColection.json', { origin: docs })).json
    expect(error_message).toMatch(
      /^no operation createColection can be embedded \(did you mean createCollection\?\)/,
    )
    const { json: none } = await get('/docs/embed/.json', { origin: docs })
    expect(none.error_message).toMatch(/^the attribute operation is missing; there are .*createCollection/)
  })
})
