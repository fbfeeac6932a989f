import { describe, expect, it } from 'vitest'
import type { Context } from 'hono'
import { countedAddress } from '../../src/http/client-address.ts'
import { proxiesAmong } from '../../src/http/forwarded.ts'
import { RateLimit } from '../../src/http/rate-limit.ts'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const path = '/api/v2/account/63'

describe('by key', async () => {
  const { sandbox } = await startSandbox({ SANDBOX_RATE_LIMIT: '3' })

  it('429 with Retry-After for the fourth request of a minute, whichever of its worlds a key is used for', async () => {
    for (const name of ['demo', 'demo+one', 'demo+two'])
      expect((await client(sandbox, name, 'demo').get(path)).status).toBe(200)
    const answer = await client(sandbox, 'demo+three', 'demo').get(path)
    const message = 'more than 3 requests a minute with this API key; try again in 60 s'
    expect(answer).toMatchObject(refused(429, 'resource_exhausted', message))
    expect(answer.headers.get('retry-after')).toBe('60')
    expect((await client(sandbox, 'viewer+one', 'viewer').get(path)).status).toBe(200)
  })

  it('refused requests count, those with wrong credentials do not', async () => {
    const { sandbox } = await startSandbox({ SANDBOX_RATE_LIMIT: '3' })
    const wrong = client(sandbox, 'demo+three', 'wrong')
    for (let n = 0; n < 5; n++) expect((await wrong.get(path)).status).toBe(401)
    const demo = client(sandbox, 'demo+three', 'demo')
    for (let n = 0; n < 3; n++) expect((await demo.post('/api/v2/payments', '{')).status).toBe(400)
    expect((await demo.post('/api/v2/payments', '{')).status).toBe(429)
  })
})

describe('by address', () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  async function listening(env: Record<string, string>) {
    const { sandbox } = await startSandbox({ PORT: '0', ...env })
    const { port } = await sandbox.listen()
    return {
      sandbox,
      get: async (where: string, headers: Record<string, string>) => {
        const answer = await fetch(`http://127.0.0.1:${port}${where}`, { headers })
        const text = await answer.text()
        return { status: answer.status, retry: answer.headers.get('retry-after'), text }
      },
    }
  }

  it('429 for too many requests, and never for a probe', async () => {
    const { get } = await listening({ SANDBOX_ADDRESS_RATE_LIMIT: '2' })
    for (const status of [200, 200, 429]) expect((await get('/openapi.json', {})).status).toBe(status)
    for (const probe of ['/livez', '/readyz', '/livez']) expect((await get(probe, {})).status).toBe(200)
  })

  it('429 before credentials are looked at once too many were wrong, right ones too', async () => {
    const { get, sandbox } = await listening({ SANDBOX_FAILURE_LIMIT: '3' })
    for (const wrong of ['demo:a', 'demo+x:b', 'nobody:c'])
      expect((await get(path, basic(wrong))).status).toBe(401)
    const answer = await get(path, basic('demo:demo'))
    expect(answer).toMatchObject({ status: 429, retry: '60' })
    expect(answer.text).toContain('more than 3 requests a minute with wrong credentials from this address')
    for (const where of ['/nowhere', '/sandbox/snapshots', '/__admin/health'])
      expect((await get(where, basic('demo:demo'))).status).toBe(429)
    expect((await get('/livez', {})).status).toBe(200)
    expect((await get(path, {})).status).toBe(401)
    // Within the process there is no address.
    expect((await client(sandbox, 'demo', 'demo').get(path)).status).toBe(200)
  })

  it('counts guesses at unknown paths and at the token of /__admin too', async () => {
    const { get } = await listening({
      SANDBOX_FAILURE_LIMIT: '2',
      SANDBOX_ADMIN_TOKEN: 'long',
      HOST: '127.0.0.1',
    })
    expect((await get('/nowhere', basic('demo:wrong'))).status).toBe(404)
    expect((await get('/nowhere', basic('demo:worse'))).status).toBe(404)
    expect((await get('/__admin/health', { authorization: 'Bearer guess' })).status).toBe(429)
  })

  it('429 for more requests than an address may make, pages among them', async () => {
    const { get } = await listening({ SANDBOX_ADDRESS_RATE_LIMIT: '2' })
    expect((await get('/openapi.json', {})).status).toBe(200)
    expect((await get(path, basic('demo:demo'))).status).toBe(200)
    expect(await get(path, basic('viewer:viewer'))).toMatchObject({ status: 429, retry: '60' })
  })

  it('counts each client of a trusted proxy for itself, and believes nobody else', async () => {
    const proxied = await listening({ SANDBOX_FAILURE_LIMIT: '1', SANDBOX_TRUSTED_PROXIES: '127.0.0.0/8' })
    const from = (...addresses: string[]) => ({ 'x-forwarded-for': addresses.join(', ') })
    expect((await proxied.get(path, { ...basic('demo:a'), ...from('192.0.2.1') })).status).toBe(401)
    expect((await proxied.get(path, { ...basic('demo:demo'), ...from('192.0.2.1') })).status).toBe(429)
    expect((await proxied.get(path, { ...basic('demo:demo'), ...from('192.0.2.2') })).status).toBe(200)
    // What a client says of himself stands further to the left.
    const liar = from('192.0.2.9', '192.0.2.1')
    expect((await proxied.get(path, { ...basic('demo:demo'), ...liar })).status).toBe(429)

    const direct = await listening({ SANDBOX_FAILURE_LIMIT: '1' })
    expect((await direct.get(path, { ...basic('demo:a'), ...from('192.0.2.1') })).status).toBe(401)
    expect((await direct.get(path, { ...basic('demo:demo'), ...from('192.0.2.2') })).status).toBe(429)
  })

  it.each([
    ['192.0.2.1', [], '192.0.2.1'],
    ['::ffff:192.0.2.1', [], '192.0.2.1'],
    ['2001:db8:1:2:3::1', [], '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::9', [], '2001:db8:1:2::/64'],
    ['::ffff:10.0.0.1', ['10.0.0.0/8'], '203.0.113.7'],
    ['fd00::1', ['10.0.0.0/8', 'fd00::/8'], '203.0.113.7'],
    ['10.9.0.1', ['10.9.0.1'], '203.0.113.7'],
    ['10.9.0.2', ['10.9.0.1'], '10.9.0.2'],
  ])('takes %s, with the proxies %j, for %s', (remoteAddress, trusted, expected) => {
    const rawHeaders = ['X-Forwarded-For', '198.51.100.1, 203.0.113.7', 'x-forwarded-for', '10.1.1.1']
    const headers =
      trusted.length > 1 || remoteAddress.startsWith('::ffff:10') ? rawHeaders : rawHeaders.slice(0, 2)
    const c = { env: { incoming: { socket: { remoteAddress }, rawHeaders: headers } } } as unknown as Context
    expect(countedAddress(proxiesAmong(trusted))(c)).toBe(expected)
  })

  it('forgets the oldest of very many', () => {
    const limit = new RateLimit(1, () => 0, 'too much', 3)
    for (const name of ['a', 'b', 'c']) limit.take(name)
    expect(() => limit.take('a')).toThrow('too much; try again in 60 s')
    limit.take('d')
    limit.take('a')
    expect(() => limit.take('d')).toThrow('too much')
  })
})
