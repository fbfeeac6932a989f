import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/lib/files.ts'
import type { Built } from '../../src/pages/dashboard.ts'
import { policyOf, startPages } from './pages.ts'
import { fileURLToPath } from 'node:url'

await bundleDashboard(fileURLToPath(files.dashboard))
const folder = mkdtempSync(join(tmpdir(), 'dashboard-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
await bundleDashboard(folder)
const built = JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8')) as Built

const { get, bytes } = await startPages()

describe('the files of the first page', () => {
  it.each([
    ['script', 60, () => [built.script, ...built.beside]],
    ['style', 10, () => [built.style]],
  ] as const)('include a %s of at most %i KB, compressed', (_what, most, names) => {
    const sizes = names().map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length)
    const packed = sizes.reduce((sum, size) => sum + size, 0) / 1024
    expect(packed).toBeGreaterThan(1)
    expect(packed).toBeLessThanOrEqual(most)
  })

  it('are two files next to a shell of 4 KB', async () => {
    const { text } = await get('/dashboard')
    expect(text.length).toBeLessThan(4_096)
    expect([...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)).toEqual([
      '/favicon.ico',
      expect.stringMatching(/^\/dashboard\/style-\w+\.css$/),
      expect.stringMatching(/^\/dashboard\/app-\w+\.js$/),
    ])
  })

  it('preload the imports of the script', async () => {
    const { headers } = await get('/dashboard')
    const named = [...(headers.get('link') ?? '').matchAll(/<\/dashboard\/([^>]+)>; rel=modulepreload/g)]
    expect(named.map(([, name]) => name)).toEqual(built.beside)
    for (const name of built.beside) expect((await get(`/dashboard/${name}`)).status).toBe(200)
  })

  it('are immutable and compressed', async () => {
    const { text } = await get('/dashboard')
    for (const [path] of text.matchAll(/\/dashboard\/[\w.-]+/g)) {
      const { status, headers } = await bytes(path, { 'accept-encoding': 'br' })
      expect([path, status]).toEqual([path, 200])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('content-encoding')).toBe('br')
    }
  })

  it.each(['/dashboard/nothing.js', '/dashboard/built.json', '/dashboard/..%2fcli.js'])(
    'return 404 for %s',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )
})

describe('the policy of the dashboard', () => {
  it('allows its own files and no markup from text', async () => {
    const policy = policyOf((await get('/dashboard')).headers)
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    })
    expect(JSON.stringify(policy)).not.toContain('unsafe')
  })

  it('allows no page to frame it, whichever origins embed the documentation', async () => {
    for (const env of [
      {},
      { SANDBOX_EMBED_ORIGINS: '*' },
      { SANDBOX_EMBED_ORIGINS: 'https://docs.example' },
    ]) {
      const pages = await startPages(env as Record<string, string>)
      expect(policyOf((await pages.get('/dashboard')).headers)['frame-ancestors']).toBe("'none'")
    }
  })

  it('contains public credentials only', async () => {
    expect((await get('/dashboard')).text).toContain('&quot;password&quot;:&quot;demo&quot;')
    const secret = await startPages({ SANDBOX_API_PASSWORD: 'not to be shown' })
    expect((await secret.get('/dashboard')).text).not.toContain('not to be shown')
  })
})

it('is linked from the start page', async () => {
  expect((await get('/', { accept: 'text/html' })).text).toContain('href="/dashboard"')
  expect((await get('/')).text).toContain('http://sandbox.test/dashboard')
})
