import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleEmbed } from '../../build/embed.ts'
import { files } from '../../src/files.ts'
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

describe('what a page loads of the element', () => {
  it('is at most 30 KB, packed, with the longest of its operations', async () => {
    const script = await get('/docs/embed.js')
    const renderer = await get(`/docs/embed/${built.renderer}`)
    const sheet = await get('/docs/embed/createGlobalPayment.json')
    expect(packed(script.text)).toBeLessThan(5)
    const all = packed(script.text) + packed(renderer.text) + packed(sheet.text)
    expect(all).toBeGreaterThan(10)
    expect(all).toBeLessThanOrEqual(30)
  })

  it('comes from the sandbox, may be loaded by other sites, and is asked for by its tag', async () => {
    for (const path of ['/docs/embed.js', '/docs/embed.css', '/docs/embed/createCollection.json']) {
      const { status, headers } = await get(path, { origin: docs })
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 200, '*'])
      const again = await get(path, { origin: docs, 'if-none-match': headers.get('etag')! })
      expect([path, again.status]).toEqual([path, 304])
    }
  })

  it('never changes under its name', async () => {
    const { status, headers } = await bytes(`/docs/embed/${built.renderer}`, { 'accept-encoding': 'br' })
    expect([status, headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it.each([
    '/docs/embed/show-0.js',
    '/docs/embed/built.json',
    '/docs/embed/resetWorld.json',
    '/docs/embed/..%2f.js',
  ])('404 for %s', async (path) => expect((await get(path)).status).toBe(404))

  it('has neither markup made of text nor text run as code', () => {
    const text = built.shell + readFileSync(join(folder, built.renderer), 'utf8')
    expect(text).not.toMatch(/\beval\(|new Function|insertAdjacentHTML|document\.write/)
  })
})

describe('GET /docs/embed/{operation}.json', () => {
  const sheet = async (operation: string, headers: Record<string, string> = {}) =>
    (await get(`/docs/embed/${operation}.json`, headers)).json

  it('has the fields with their rules, also of objects in objects', async () => {
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

  it('has examples, those that are accepted first, whose callbacks come to an inbox of who sends them', async () => {
    const { examples } = await sheet('createCollection')
    const statuses = examples.map(({ status }: { status: number }) => status)
    expect(statuses.slice(0, 4)).toEqual([201, 201, 201, 400])
    expect(examples[0].value.callback_url).toBe('http://sandbox.test/sandbox/inbox/default?key=own')
  })

  it('says by what name of the answer the callback is known', async () => {
    expect((await sheet('createCollection')).callback.reference).toBe('reference')
    expect((await sheet('createGlobalPayment')).callback.reference).toBe('merchant_reference')
    expect((await sheet('getAccount')).callback).toBeUndefined()
  })

  it('has texts as data', async () => {
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
  ])('says whether %s may try it', async (_who, headers, mayTry) => {
    expect((await sheet('createCollection', headers as Record<string, string>)).mayTry).toBe(mayTry)
  })

  it('gives credentials that everybody may know, and no others', async () => {
    expect((await sheet('getAccount')).credentials).toEqual({ username: 'demo', password: 'demo' })
    const secret = await startPages({ SANDBOX_API_PASSWORD: 'not to be shown' })
    expect((await secret.get('/docs/embed/getAccount.json')).text).not.toMatch(/not to be shown|credentials/)
    const readers = await startPages({ ...hosted, SANDBOX_READER_WORLDS: 'on' })
    expect((await readers.get('/docs/embed/getAccount.json')).json).toMatchObject({ reader: '/docs/reader' })
  })

  it('404 with the operations that there are', async () => {
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
