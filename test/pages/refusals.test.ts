import { describe, expect, it } from 'vitest'
import { RateLimited } from '../../src/service/domain/errors.ts'
import { startSandbox } from '../support/sandbox.ts'
import { startPages } from './pages.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const pages = await startPages()

describe('a browser receives a page', () => {
  it.each([
    ['GET', '/nothing', 404, 'path /nothing was not found'],
    ['POST', '/nothing', 404, 'path /nothing was not found'],
    ['POST', '/docs', 405, 'POST is not allowed on /docs; allowed: GET'],
    ['DELETE', '/checkout/demo/x', 405, 'DELETE is not allowed on /checkout/demo/x; allowed: GET, POST'],
    ['GET', '/%3Cscript%3Ealert(1)%3C/script%3E', 404, 'was not found'],
  ])('%s %s: %i', async (method, path, status, message) => {
    const answer = await pages.get(path, browser, method)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8')
    expect(answer.text).toContain(message)
    expect(answer.text).not.toContain('<script')
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
  })

  it('with the allowed methods in the header of a 405', async () => {
    expect((await pages.get('/docs', browser, 'POST')).headers.get('allow')).toBe('GET')
  })

  /** The answer of a page whose look at the worlds throws. */
  async function thrown(error: Error) {
    const { sandbox } = await startSandbox()
    sandbox.worlds.find = async () => {
      throw error
    }
    const request = new Request('http://sandbox.test/checkout/demo/x', { method: 'POST', headers: browser })
    const response = await sandbox.fetch(request)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it('with Retry-After for a 429', async () => {
    const { status, headers, text } = await thrown(new RateLimited('too much', 7))
    expect([status, headers.get('retry-after')]).toEqual([429, '7'])
    expect(text).toMatch(/<h1>Too many requests<\/h1>[^]*too much; try again in 7 s/)
  })

  it('without details for a 500, which the log contains', async () => {
    const { status, text } = await thrown(new Error('secret detail'))
    expect([status, text]).toEqual([500, expect.stringContaining('Something went wrong')])
    expect(text).not.toContain('secret detail')
  })

  it('for a 413 after a form', async () => {
    const { sandbox, world } = await startSandbox()
    const w = world()
    await w.post('/api/v2/account_invites', {
      organization_id: 1,
      account_id: 63,
      email: 'new@demo.example',
      role_id: 3,
      assigned_account_ids: [63],
    })
    const { body } = await w.get('/sandbox/outbox')
    const response = await sandbox.fetch(
      new Request(body.mails[0].link, { method: 'POST', headers: browser, body: 'x'.repeat(20_000) }),
    )
    expect([response.status, response.headers.get('content-type')]).toEqual([413, 'text/html; charset=UTF-8'])
  })
})

describe('a program receives JSON', () => {
  it.each([
    ['GET', '/nothing', {}],
    ['GET', '/nothing', { accept: '*/*' }],
    ['POST', '/docs', {}],
    // As some HTTP clients of programs say of themselves.
    ['GET', '/api/v2/nothing', { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' }],
    ['GET', '/sandbox/nothing', browser],
    ['DELETE', '/api/v2/payments', browser],
  ])('%s %s with %o', async (method, path, headers) => {
    const { json, status } = await pages.get(path, headers as Record<string, string>, method)
    expect(json).toMatchObject({ status_code: status, error_message: expect.any(String) })
  })
})

describe('GET /favicon.ico', () => {
  it('returns a small, cacheable picture', async () => {
    const { status, headers, text } = await pages.get('/favicon.ico')
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'public, max-age=604800',
    ])
    expect(text.length).toBeLessThan(500)
  })
})
