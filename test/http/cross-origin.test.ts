import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { call, hosted, startSandbox } from '../support/sandbox.ts'

const shop = 'https://shop.example'
const named = await startSandbox({ SANDBOX_CORS_ORIGINS: `${shop}, http://localhost:3000` })
const all = await startSandbox({ SANDBOX_CORS_ORIGINS: '*' })
const off = await startSandbox()

const authorization = `Basic ${btoa('demo:demo')}`
const cross = {
  origin: shop,
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
}
const json = { 'content-type': 'application/json' }
const payment = {
  account_id: 63,
  amount: 100,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
}

const preflight = (sandbox: typeof named, path: string, method: string, origin = shop) =>
  sandbox.sandbox.fetch(
    new Request(`http://sandbox.test${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    }),
  )

describe('a page of a listed origin', () => {
  it.each([
    ['/api/v2/payments', 'POST'],
    ['/api/v2/accounts', 'PUT'],
    ['/sandbox/reset', 'POST'],
    ['/sandbox/nothing', 'GET'],
  ])('may send a preflight request for %s (%s) without credentials', async (path, method) => {
    const { status, headers } = await preflight(named, path, method)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(shop)
    expect(headers.get('access-control-allow-methods')).toContain(method)
    expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    expect(headers.get('access-control-max-age')).toBe('600')
    expect(headers.get('vary')).toMatch(/\bOrigin\b/)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('pays and reads the response with all its headers', async () => {
    const answer = await call(named.sandbox, 'POST', '/api/v2/payments', payment, { ...cross, authorization })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('access-control-allow-origin')).toBe(shop)
    expect(answer.headers.get('access-control-expose-headers')).toBe('*')
    expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/)
    expect(answer.headers.get('sandbox-request-id')).toBeTruthy()
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it.each([
    ['GET', '/api/v2/nothing', {}, 404],
    ['GET', '/api/v2/account/63', {}, 401],
    ['PATCH', '/api/v2/payments', { authorization }, 405],
    ['POST', '/api/v2/payments', { authorization }, 400],
    ['GET', '/sandbox/inbox/shop', { authorization }, 200],
    ['GET', '/sandbox/callbacks', { authorization }, 200],
  ])('reads the response to %s %s (%o): %i', async (method, path, headers, expected) => {
    const answer = await call(named.sandbox, method, path, undefined, { ...cross, ...headers } as {})
    expect(answer.status).toBe(expected)
    expect(['*', shop]).toContain(answer.headers.get('access-control-allow-origin'))
  })

  const changes = [
    [{ authorization, ...json }, 200],
    [{ authorization, 'x-requested-with': 'fetch' }, 200],
    [{ authorization }, 403],
    [{ authorization, 'content-type': 'text/plain' }, 403],
    [{ 'x-requested-with': 'fetch' }, 403],
  ] as const
  it.each(changes)(
    'may change its world only by a request with preflight: %o is %i',
    async (headers, expected) => {
      const answer = await call(named.sandbox, 'POST', '/sandbox/settle', undefined, {
        ...cross,
        ...headers,
      } as {})
      expect(answer.status).toBe(expected)
      const why = expected === 403 ? /Authorization header, and Content-Type/ : /^undefined$/
      expect(String(answer.body.error_message)).toMatch(why)
    },
  )

  it('reads the description', async () => {
    const answer = await named.sandbox.fetch(
      new Request('http://sandbox.test/openapi.json', { headers: cross }),
    )
    expect(['*', shop]).toContain(answer.headers.get('access-control-allow-origin'))
  })

  it('may not control the process or read pages for payers', async () => {
    const steered = await call(named.sandbox, 'POST', '/__admin/reset', undefined, {
      ...cross,
      authorization,
      ...json,
    })
    expect(steered.status).toBe(403)
    for (const path of ['/__admin/reset', '/checkout/w/1', '/invites/x', '/docs'])
      expect((await preflight(named, path, 'POST')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a page of another origin', () => {
  const stranger = { ...cross, origin: 'https://evil.example' }

  it('receives no CORS headers', async () => {
    const asked = await preflight(named, '/api/v2/payments', 'POST', stranger.origin)
    expect(asked.headers.get('access-control-allow-origin')).toBeNull()
    const answer = await call(named.sandbox, 'GET', '/api/v2/account/63', undefined, {
      ...stranger,
      authorization,
    })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/)
  })

  it('may not change a world, and gets the name of the setting', async () => {
    for (const { sandbox } of [named, all, off]) {
      const headers = { ...stranger, authorization, ...json }
      const { status, body } = await call(sandbox, 'POST', '/sandbox/settle', undefined, headers)
      expect(status).toBe(403)
      expect(body.error_message).toMatch(
        /not from https:\/\/evil\.example; allow an origin with SANDBOX_CORS_ORIGINS/,
      )
    }
  })

  it('uses the service if all origins may', async () => {
    expect(
      (await preflight(all, '/api/v2/payments', 'POST')).headers.get('access-control-allow-origin'),
    ).toBe('*')
    const answer = await call(all.sandbox, 'POST', '/api/v2/payments', payment, {
      ...stranger,
      authorization,
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, '*'])
  })
})

describe('a wildcard', () => {
  const wild = startSandbox({ SANDBOX_CORS_ORIGINS: 'https://*.docs.example, http://*.site.internal:3000' })
  const allowed = async (origin: string) =>
    (await preflight(await wild, '/api/v2/payments', 'POST', origin)).headers.get(
      'access-control-allow-origin',
    )

  it.each(['https://pr-7.docs.example', 'https://a.b.docs.example', 'http://x.site.internal:3000'])(
    'matches %s',
    async (origin) => expect(await allowed(origin)).toBe(origin),
  )

  it.each([
    'https://docs.example',
    'https://evildocs.example',
    'http://pr-7.docs.example',
    'https://pr-7.docs.example:8443',
    'https://evil.example/.docs.example',
    'https://evil.example#.docs.example',
    'https://.docs.example',
    'http://x.site.internal',
    'null',
  ])('does not match %s', async (origin) => expect(await allowed(origin)).toBeNull())

  it('may change a world like a listed origin', async () => {
    const origin = 'https://pr-7.docs.example'
    const headers = { ...cross, origin, authorization, ...json }
    expect((await call((await wild).sandbox, 'POST', '/sandbox/settle', undefined, headers)).status).toBe(200)
  })
})

describe('a public page that asks to reach a private network', () => {
  const asked = async ({ sandbox }: typeof named, origin: string) => {
    const answer = await sandbox.fetch(
      new Request('http://sandbox.test/api/v2/payments', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-private-network': 'true',
        },
      }),
    )
    return answer.headers.get('access-control-allow-private-network')
  }

  it('is allowed only with a listed origin', async () => {
    expect(await asked(named, shop)).toBe('true')
    expect(await asked(all, shop)).toBe('true')
    expect(await asked(named, 'https://evil.example')).toBeNull()
    expect(await asked(off, shop)).toBeNull()
  })

  it('receives no header without asking', async () => {
    const { headers } = await preflight(named, '/api/v2/payments', 'POST')
    expect(headers.get('access-control-allow-private-network')).toBeNull()
  })
})

describe('a world for the reader of another site', () => {
  const readers = startSandbox({ SANDBOX_READER_WORLDS: 'on', SANDBOX_CORS_ORIGINS: shop })
  const ask = async (headers: Record<string, string>) =>
    (await readers).sandbox.fetch(new Request('http://sandbox.test/docs/reader', { method: 'POST', headers }))

  it('is created for a page of a listed origin, by a request with preflight', async () => {
    const answer = await ask({ ...cross, 'x-requested-with': 'fetch' })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, shop])
    expect(await answer.json()).toEqual({ username: expect.any(String), password: expect.any(String) })
    expect((await preflight(await readers, '/docs/reader', 'POST')).status).toBe(204)
  })

  it('is not created for any other', async () => {
    expect((await ask(cross)).status).toBe(403)
    const stranger = await ask({ ...cross, origin: 'https://evil.example', 'x-requested-with': 'fetch' })
    expect([stranger.status, stranger.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })
})

describe('without SANDBOX_CORS_ORIGINS', () => {
  it('returns 405 for OPTIONS, and no CORS headers', async () => {
    const asked = await preflight(off, '/api/v2/payments', 'POST')
    expect(asked.status).toBe(405)
    const answer = await call(off.sandbox, 'GET', '/api/v2/account/63', undefined, {
      ...cross,
      authorization,
    })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('vary')).toBeNull()
  })

  it('returns 405 for OPTIONS of a program', async () => {
    const { status } = await call(named.sandbox, 'OPTIONS', '/api/v2/payments', undefined, { authorization })
    expect(status).toBe(405)
  })
})

describe('SANDBOX_CORS_ORIGINS', () => {
  it.each([
    'shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    'https://*.example',
    'https://*.example:8443',
    'https://a.*.example',
    'https://*',
    '*.docs.example',
    'null',
  ])('%s stops the start', (value) => {
    expect(() => readConfig({ SANDBOX_CORS_ORIGINS: value })).toThrow(/SANDBOX_CORS_ORIGINS .*such as https:/)
  })

  it('* stops the start in hosted mode, a list does not', () => {
    expect(() => readConfig({ ...hosted, SANDBOX_CORS_ORIGINS: '*' })).toThrow(
      /SANDBOX_CORS_ORIGINS "\*" allows every page/,
    )
    expect(readConfig({ ...hosted, SANDBOX_CORS_ORIGINS: shop }).corsOrigins).toEqual([shop])
    expect(readConfig(hosted).corsOrigins).toEqual([])
  })
})
