import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { files } from '../../src/lib/files.ts'
import { operationsOf, type Part, resolve } from '../../src/pages/viewer/description.ts'
import { hosted } from '../support/sandbox.ts'
import { policyOf, startPages } from './pages.ts'

const everywhere = await startPages()
const listed = await startPages({
  SANDBOX_EMBED_ORIGINS: 'https://docs.example, https://handbook.example',
  SANDBOX_API_PASSWORD: 'not to be shown',
})

const pages = ['/', '/docs', '/docs/embed', '/docs/embed?operation=nope', '/sandbox/provenance']
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('every page', () => {
  it.each(pages)('%s loads nothing from elsewhere and only runs our scripts', async (path) => {
    const { headers } = await everywhere.get(path, browser)
    const policy = policyOf(headers)
    expect(policy['default-src']).toBe("'none'")
    expect(policy['base-uri']).toBe("'none'")
    expect(`${policy['script-src'] ?? ''} ${policy['style-src']}`).not.toMatch(/unsafe|https?:|\*|'self'/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toMatch(/^(no-referrer|same-origin)$/)
  })

  it.each(['/', '/docs', '/sandbox/provenance'])('%s cannot be framed', async (path) => {
    const { headers } = await everywhere.get(path, browser)
    expect(policyOf(headers)['frame-ancestors']).toBe("'none'")
  })
})

const installed = existsSync(files.viewer)

/** What a description refers to and does not have. */
function missingRefs(description: Part): string[] {
  const refs = JSON.stringify(description).matchAll(/"(#\/components\/[^"]+)"/g)
  const has = (ref: string) => {
    try {
      return resolve(description, { $ref: ref }) !== undefined
    } catch {
      return false
    }
  }
  return [...new Set([...refs].map((match) => match[1]!))].filter((ref) => !has(ref))
}

describe('GET /docs', () => {
  it.runIf(installed)('has a new nonce each time', async () => {
    const scripts = await Promise.all(
      [1, 2].map(async () => policyOf((await everywhere.get('/docs')).headers)['script-src']),
    )
    expect(scripts[0]).toMatch(/^'nonce-[\w+/]{22}=='$/)
    expect(scripts[0]).not.toBe(scripts[1])
  })

  it.runIf(installed)('fills in the credentials, but no chosen password', async () => {
    expect((await everywhere.get('/docs')).text).toContain('&quot;password&quot;:&quot;demo&quot;')
    expect((await listed.get('/docs')).text).not.toContain('not to be shown')
  })

  it.skipIf(installed)('returns 503 with the command to run if the viewer is missing', async () => {
    const { status, text } = await everywhere.get('/docs')
    expect(status).toBe(503)
    expect(text).toContain('npm run viewer')
  })

  it('returns 405 for another method', async () => {
    const { status, headers } = await everywhere.get('/docs', {}, 'POST')
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('GET')
  })
})

describe('GET /docs/embed', () => {
  it('can be framed by any page by default', async () => {
    const { headers } = await everywhere.get('/docs/embed')
    expect(policyOf(headers)['frame-ancestors']).toBeUndefined()
  })

  it.each(['/docs/embed', '/docs/embed?operation=nope'])(
    '%s can be framed by the listed origins only',
    async (path) => {
      const { headers } = await listed.get(path)
      expect(policyOf(headers)['frame-ancestors']).toBe(
        "'self' https://docs.example https://handbook.example",
      )
    },
  )

  it('returns 404 with the existing operations', async () => {
    const { status, text } = await everywhere.get('/docs/embed?operation=%3Cb%3Enope')
    expect(status).toBe(404)
    expect(text).toContain('&lt;b&gt;nope')
    expect(text).toContain('createCollection')
    expect(text).not.toContain('getLedger')
  })

  it('returns 404 for an operation of the control API, which cannot be embedded', async () => {
    const { status, text } = await everywhere.get('/docs/embed?operation=resetWorld')
    expect(status).toBe(404)
    expect(text).toContain('belongs to the control API, which is only shown at /docs')
  })

  it.runIf(installed)('neither offers nor reaches the control API', async () => {
    for (const path of ['/docs/embed', '/docs/embed?operation=createCollection']) {
      const { headers, text } = await everywhere.get(path, { host: 'sandbox.example:8443' })
      expect(policyOf(headers)['connect-src']).toBe(
        'sandbox.example:8443/api/ sandbox.example:8443/docs/service.json',
      )
      expect(text).not.toContain('control.json')
    }
    expect(policyOf((await everywhere.get('/docs')).headers)['connect-src']).toBe("'self'")
  })

  it.runIf(installed)('has a policy that client names cannot widen', async () => {
    const { headers } = await everywhere.get('/docs/embed', { host: 'a;script-src *' })
    expect(policyOf(headers)['connect-src']).toBe("'self'")
    expect(policyOf(headers)['script-src']).toMatch(/^'nonce-/)
  })

  it.each(['/sandbox/reset', '/sandbox/settle', '/__admin/reset'])(
    'returns 403 for a change by %s from an embedded page',
    async (path) => {
      const authorization = `Basic ${btoa('demo:demo')}`
      const headers = {
        authorization,
        origin: 'http://sandbox.test',
        referer: 'http://sandbox.test/docs/embed?x=1',
      }
      const { status, json } = await everywhere.get(path, headers, 'POST')
      expect(status).toBe(403)
      expect(json.error_message).toMatch(/from an embedded page; open \/docs/)
      const own = { ...headers, referer: 'http://sandbox.test/docs' }
      expect((await everywhere.get(path, own, 'POST')).status).toBe(200)
    },
  )

  it('cannot be framed in hosted mode by default', async () => {
    const framedBy = async (env: Record<string, string>) => {
      const { get } = await startPages({ ...hosted, ...env })
      return policyOf((await get('/docs/embed')).headers)['frame-ancestors']
    }
    expect(await framedBy({})).toBe("'none'")
    expect(await framedBy({ SANDBOX_EMBED_ORIGINS: 'https://docs.example' })).toBe(
      "'self' https://docs.example",
    )
  })
})

describe('the description', () => {
  it.each(['/openapi.json', '/openapi.yaml', '/sandbox/openapi.json', '/docs/service.json'])(
    '%s may be read by pages of any origin by default',
    async (path) => {
      const { headers } = await everywhere.get(path, { origin: 'https://anyone.example' })
      expect(headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  it('may be read by the listed origins only', async () => {
    const ours = await listed.get('/openapi.json', { origin: 'https://docs.example' })
    expect(ours.headers.get('access-control-allow-origin')).toBe('https://docs.example')
    const others = await listed.get('/openapi.json', { origin: 'https://other.example' })
    expect(others.headers.get('access-control-allow-origin')).toBeNull()
    expect(others.headers.get('vary')).toMatch(/\bOrigin\b/)
  })

  it('is served unchanged, whatever the viewer shows', async () => {
    const bundled = readFileSync(files.description('service', 'json'), 'utf8')
    await everywhere.get('/docs/service.json')
    expect((await everywhere.get('/openapi.json')).text).toBe(bundled)
  })

  it('of one operation contains only what it references, less than a third of the whole', async () => {
    const whole = await everywhere.get('/docs/service.json')
    for (const { operation } of operationsOf(whole.json.paths)) {
      const { json, text } = await everywhere.get(`/docs/service.json?operation=${operation.operationId}`)
      expect(missingRefs(json)).toEqual([])
      expect(text.length, operation.operationId).toBeLessThan(whole.text.length / 3)
    }
  })

  it.each([
    ['service', '?reference=control#control'],
    ['control', '?reference=service#service'],
  ])('of %s links to the other reference, which the viewer’s search does not cover', async (api, way) => {
    const { json } = await everywhere.get(`/docs/${api}.json`)
    expect(json.info.description).toContain(`](${way})`)
  })

  it('contains one operation for the viewer on request', async () => {
    const { json } = await everywhere.get('/docs/service.json?operation=getAccount')
    expect(Object.keys(json.paths)).toEqual(['/api/v2/account/{account_id}'])
    expect(missingRefs(json)).toEqual([])
    expect(json.components.securitySchemes).toBeDefined()
    expect(Object.keys(json.components.schemas)).not.toContain('CreateCollectionRequest')
    expect((await everywhere.get('/docs/control.json?operation=getAccount')).status).toBe(404)
  })
})

describe('GET /', () => {
  it('returns text to terminals', async () => {
    const { headers, text } = await everywhere.get('/', { accept: '*/*' })
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toContain('curl -u demo:demo http://sandbox.test/api/v2/payments')
    expect(text).toContain('http://sandbox.test/docs')
  })

  it('returns a page to browsers', async () => {
    const { text } = await everywhere.get('/', browser)
    expect(text).toContain('href="/docs"')
    expect(text).toContain('http://sandbox.test/api/v2/payments')
  })

  it.each([{}, browser])('never shows a chosen password (%o)', async (headers: Record<string, string>) => {
    const { text } = await listed.get('/', headers)
    expect(text).toContain('SANDBOX_API_PASSWORD')
    expect(text).not.toContain('not to be shown')
  })
})
