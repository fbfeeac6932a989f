import { describe, expect, it } from 'vitest'
import type { Context } from 'hono'
import { countedAddress, proxiesAmong } from '../../src/http/client-address.ts'
import { MemoryCounters } from '../../src/storage/engine/memory/shared-state.ts'
import { createLog } from '../../src/lib/log/log.ts'
import type { Parts } from '../../src/sandbox/sandbox.ts'
import { client, hosted, refused, startSandbox } from '../support/sandbox.ts'

const path = '/api/v2/account/63'

describe('by key', async () => {
  const { sandbox } = await startSandbox({ SANDBOX_RATE_LIMIT: '3' })

  it('429 with Retry-After for the fourth request of a minute, in any world of a key', async () => {
    for (const name of ['demo', 'demo+one', 'demo+two'])
      expect((await client(sandbox, name, 'demo').get(path)).status).toBe(200)
    const answer = await client(sandbox, 'demo+three', 'demo').get(path)
    const message = 'more than 3 requests a minute with this API key; try again in 60 s'
    expect(answer).toMatchObject(refused(429, 'resource_exhausted', message))
    expect(answer.headers.get('retry-after')).toBe('60')
    expect((await client(sandbox, 'viewer+one', 'viewer').get(path)).status).toBe(200)
  })

  it('counts rejected requests, but not those with wrong credentials', async () => {
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

  async function listening(env: Record<string, string>, parts: Partial<Parts> = {}) {
    const { sandbox } = await startSandbox({ PORT: '0', ...env }, parts)
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

  it('429 for too many requests, but never for a probe', async () => {
    const { get } = await listening({ SANDBOX_ADDRESS_RATE_LIMIT: '2' })
    for (const status of [200, 200, 429]) expect((await get('/openapi.json', {})).status).toBe(status)
    for (const probe of ['/livez', '/readyz', '/livez']) expect((await get(probe, {})).status).toBe(200)
  })

  it('returns 429 for a user name at which an address guessed too often', async () => {
    const { get, sandbox } = await listening({ SANDBOX_FAILURE_LIMIT: '3' })
    for (const wrong of ['demo:a', 'demo:b', 'demo:c'])
      expect((await get(path, basic(wrong))).status).toBe(401)
    const answer = await get(path, basic('demo:d'))
    expect(answer).toMatchObject({ status: 429, retry: '60' })
    expect(answer.text).toContain(
      'more than 3 requests a minute with wrong credentials from this address for this user name',
    )
    for (const where of ['/nowhere', '/sandbox/snapshots'])
      expect((await get(where, basic('demo:d'))).status).toBe(429)
    expect((await get('/livez', {})).status).toBe(200)
    expect((await get(path, {})).status).toBe(401)
    expect((await get(path, basic('nobody:d'))).status).toBe(401)
    // Within the process there is no address.
    expect((await client(sandbox, 'demo', 'd').get(path)).status).toBe(401)
  })

  it('accepts credentials known to be valid despite failed attempts from their address', async () => {
    const { get } = await listening({ ...hosted, SANDBOX_FAILURE_LIMIT: '3' })
    const right = basic(`demo:${hosted.SANDBOX_API_PASSWORD}`)
    for (const wrong of ['demo:a', 'demo:b', 'demo:c', 'demo:d']) await get(path, basic(wrong))
    expect((await get(path, basic('demo:e'))).status).toBe(429)
    expect((await get(path, right)).status).toBe(200)
    expect((await get('/nowhere', right)).status).toBe(404)
    const admin = (token: string) => get('/__admin/health', { authorization: `Bearer ${token}` })
    for (let n = 0; n < 3; n++) expect((await admin(`guess ${n}`)).status).toBe(401)
    expect((await admin('guess')).status).toBe(429)
    expect((await admin(hosted.SANDBOX_ADMIN_TOKEN)).status).toBe(200)
  })

  it('returns 429 for any user name when an address has guessed at very many', async () => {
    const { get } = await listening({ SANDBOX_FAILURE_LIMIT: '1' })
    for (let n = 0; n < 10; n++) expect((await get(path, basic(`nobody${n}:x`))).status).toBe(401)
    const answer = await get(path, basic('demo:x'))
    expect(answer.status).toBe(429)
    expect(answer.text).toContain('more than 10 requests a minute with wrong credentials from this address;')
  })

  it('writes one line to the log for a lock-out, and one for a proxy that no setting names', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', write: (line) => lines.push(line), terminal: false, now: () => 0 })
    const { get } = await listening({ ...hosted, SANDBOX_FAILURE_LIMIT: '1' }, { log })
    const proxied = { 'x-forwarded-for': '192.0.2.1' }
    for (let n = 0; n < 5; n++) await get(path, { ...basic('demo:x'), ...proxied })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        event: 'proxy not named',
        peer: '127.0.0.1',
        setting: 'SANDBOX_TRUSTED_PROXIES',
      }),
      expect.objectContaining({ event: 'locked out', address: '127.0.0.1', username: 'demo', times: 1 }),
    ])
  })

  it('counts guesses at unknown paths too', async () => {
    const { get } = await listening({ SANDBOX_FAILURE_LIMIT: '2' })
    expect((await get('/nowhere', basic('demo:wrong'))).status).toBe(404)
    expect((await get('/nowhere', basic('demo:worse'))).status).toBe(404)
    expect((await get(path, basic('demo:worst'))).status).toBe(429)
  })

  it('429 for too many requests of an address, including pages', async () => {
    const { get } = await listening({ SANDBOX_ADDRESS_RATE_LIMIT: '2' })
    expect((await get('/openapi.json', {})).status).toBe(200)
    expect((await get(path, basic('demo:demo'))).status).toBe(200)
    expect(await get(path, basic('viewer:viewer'))).toMatchObject({ status: 429, retry: '60' })
  })

  it('counts each client of a trusted proxy separately, and ignores other forwarded headers', async () => {
    const proxied = await listening({
      SANDBOX_FAILURE_LIMIT: '1',
      SANDBOX_TRUSTED_PROXIES: '127.0.0.0/8',
    })
    const from = (...addresses: string[]) => ({ 'x-forwarded-for': addresses.join(', ') })
    expect((await proxied.get(path, { ...basic('demo:a'), ...from('192.0.2.1') })).status).toBe(401)
    expect((await proxied.get(path, { ...basic('demo:b'), ...from('192.0.2.1') })).status).toBe(429)
    expect((await proxied.get(path, { ...basic('demo:b'), ...from('192.0.2.2') })).status).toBe(401)
    // What a client says of himself stands further to the left.
    const liar = from('192.0.2.9', '192.0.2.1')
    expect((await proxied.get(path, { ...basic('demo:b'), ...liar })).status).toBe(429)

    const direct = await listening({ SANDBOX_FAILURE_LIMIT: '1' })
    expect((await direct.get(path, { ...basic('demo:a'), ...from('192.0.2.1') })).status).toBe(401)
    expect((await direct.get(path, { ...basic('demo:b'), ...from('192.0.2.2') })).status).toBe(429)
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
  ])('reads %s with the proxies %j as %s', (remoteAddress, trusted, expected) => {
    const rawHeaders = ['X-Forwarded-For', '198.51.100.1, 203.0.113.7', 'x-forwarded-for', '10.1.1.1']
    const headers =
      trusted.length > 1 || remoteAddress.startsWith('::ffff:10') ? rawHeaders : rawHeaders.slice(0, 2)
    const c = { env: { incoming: { socket: { remoteAddress }, rawHeaders: headers } } } as unknown as Context
    expect(countedAddress(proxiesAmong(trusted))(c)).toBe(expected)
  })

  it('forgets the oldest of very many', () => {
    const counter = new MemoryCounters().open('requests', { most: 1, names: 3 })
    for (const name of ['a', 'b', 'c']) expect(counter.take(name, 0)).toBe(0)
    expect(counter.take('a', 0)).toBe(60_000)
    expect(counter.take('d', 0)).toBe(0)
    expect(counter.take('a', 0)).toBe(0)
    expect(counter.take('d', 0)).toBe(60_000)
  })
})
