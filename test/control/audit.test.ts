import { describe, expect, it } from 'vitest'
import { shared } from '../storage/engine/engines.ts'
import { openToStrangers, OWNER } from '../hosted/strangers.ts'
import { readableLog } from '../support/log-lines.ts'
import { collection } from '../support/requests.ts'
import { call, client, hosted, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const audit = '/sandbox/audit'
interface Entry {
  readonly operation: string
  readonly status: number
  readonly subject: string | null
}

const told = (entries: readonly Entry[]) =>
  entries.map(({ operation, status, subject }) => `${operation} ${status} ${subject}`)

describe('GET /sandbox/audit', () => {
  it('lists who changed a world, when, and with what result', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    const made = await w.post('/sandbox/api-keys', { account_id: 63, role_id: 3, name: 'build server' })
    const { entries } = (await w.get(audit)).body
    expect(entries).toEqual([
      {
        id: expect.any(Number),
        at: '2026-06-13T12:00:00.000Z',
        request_id: made.headers.get('sandbox-request-id'),
        operation: 'createApiKey',
        world: 'demo+t1',
        actor: {
          kind: 'key',
          name: null,
          username: 'demo+t1',
          role: 'owner',
          world: 'demo+t1',
          address: null,
        },
        status: 201,
        subject: made.body.username,
        requested: { body: { account_id: 63, role_id: 3, name: 'build server' } },
      },
    ])
    expect(entries[0].request_id).toMatch(/^[\da-f-]{36}$/)
  })

  it('contains keys, settings, secrets, snapshots, resets and imports, but no everyday test actions', async () => {
    const w = world()
    const key = (await w.post('/sandbox/api-keys')).body.username
    await w.delete(`/sandbox/api-keys/${encodeURIComponent(key)}`)
    await w.patch('/sandbox/worlds/current', { validation: 'lenient' })
    await w.post('/sandbox/signing-secret', {})
    const { id } = (await w.post('/sandbox/snapshots', { name: 'before' })).body
    await w.post('/sandbox/clock/advance', { actor: '1h' })
    await w.post('/sandbox/settle', {})
    await w.put('/sandbox/scenarios/mine', { title: 'Mine' })
    await w.post('/sandbox/requests/find', {})
    await w.post(`/sandbox/snapshots/${id}/restore`)
    const exported = (await w.get('/sandbox/export')).body
    await w.post('/sandbox/import', exported)
    await w.post('/sandbox/reset')
    const entries = (await w.get(audit)).body.entries as Entry[]
    const { name } = w.world()
    expect(told(entries).toReversed()).toEqual([
      `createApiKey 201 ${key}`,
      `revokeApiKey 200 ${key}`,
      `updateWorld 200 ${name}`,
      'rotateSigningSecret 200 null',
      `createSnapshot 201 ${id}`,
      `restoreSnapshot 200 ${id}`,
      `importWorld 200 ${name}`,
      `resetWorld 200 ${name}`,
    ])
  })

  it('contains rejected actions of owners, but none of callers without permission', async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    expect((await w.viewer.post('/sandbox/reset')).status).toBe(403)
    expect((await client(sandbox, 'demo+t3', 'wrong').post('/sandbox/reset')).status).toBe(401)
    expect((await w.post('/sandbox/reset', undefined, { origin: 'https://elsewhere.example' })).status).toBe(
      403,
    )
    expect((await w.post('/sandbox/api-keys', { account_id: 'x' })).status).toBe(400)
    expect((await w.delete('/sandbox/api-keys/nobody')).status).toBe(404)
    expect(told((await w.get(audit)).body.entries)).toEqual([
      'revokeApiKey 404 nobody',
      'createApiKey 400 null',
    ])
    expect((await w.viewer.get(audit)).status).toBe(403)
  })

  it('contains no secrets, and only the length of long values', async () => {
    const w = world()
    await w.post('/sandbox/signing-secret', {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      overlap: '1h',
    })
    await w.post('/sandbox/worlds', {
      name: '<b>x</b>',
      seed: { api_keys: [{ username: 'a', password: 'do not tell', user: 'ada' }], note: 'y'.repeat(600) },
    })
    const { entries } = (await w.get(audit)).body
    const text = JSON.stringify(entries)
    for (const secret of ['MfKQ9r8', 'do not tell']) expect(text).not.toContain(secret)
    expect(entries[1].requested.body).toMatchObject({ secret: '[redacted]', overlap: '1h' })
    expect(entries[0].requested.body).toMatchObject({ name: '<b>x</b>' })
  })

  it('filters by actor, operation and time, a page at a time', async () => {
    const w = world()
    const { username, password } = (
      await w.post('/sandbox/api-keys', { account_id: 63, role_id: 1, name: 'ci' })
    ).body
    const ci = client(sandbox, username, password)
    expect((await ci.post('/sandbox/signing-secret', {})).status).toBe(200)
    await w.post('/sandbox/reset')
    const list = async (query: string) => (await w.get(`${audit}?${query}`)).body
    expect(told((await list('actor=ci')).entries)).toEqual(['rotateSigningSecret 200 null'])
    expect((await list(`actor=${encodeURIComponent(username)}`)).entries[0].actor).toMatchObject({
      name: 'ci',
      role: 'admin',
    })
    expect((await list('operation=resetWorld')).entries).toHaveLength(1)
    expect((await list('since=2026-06-13T12:00:00.001Z')).entries).toEqual([])
    expect((await list('until=2026-06-13T12:00:00Z')).entries).toEqual([])
    const first = await list('limit=2')
    expect([first.entries.length, first.next_before]).toEqual([2, first.entries[1].id])
    const rest = await list(`limit=2&before=${first.next_before}`)
    expect([told(rest.entries), rest.next_before]).toEqual([[`createApiKey 201 ${username}`], null])
  })

  it.each([
    'actor=',
    'since=yesterday',
    'limit=0',
    'limit=1001',
    'before=x',
    'world=demo',
    'opration=resetWorld',
  ])('returns 400 for ?%s', async (query) =>
    expect((await world().get(`${audit}?${query}`)).status).toBe(400),
  )
})

describe('GET /__admin/audit', () => {
  it('lists actions of /__admin and of all worlds, including deleted ones', async () => {
    const own = await startSandbox()
    const ask = (method: string, path: string, body?: unknown) =>
      call(own.sandbox, method, `/__admin${path}`, body)
    const w = own.world()
    const made = (await w.post('/sandbox/worlds', { name: 'of QA' })).body.world.id
    await w.delete(`/sandbox/worlds/${encodeURIComponent(made)}`)
    await ask('PATCH', '/settings', { validation: 'lenient' })
    await ask('PUT', '/scenarios/provider-fails-once/state?world=demo%2Bt1', { step: 2 })
    await ask('POST', '/requests/find', {})
    await ask('POST', '/reset')
    const list = async (query = '') => (await ask('GET', `/audit${query}`)).body.entries
    expect(told(await list()).toReversed()).toEqual([
      `createWorld 201 ${made}`,
      `deleteWorld 200 ${made}`,
      'adminUpdateSettings 200 null',
      'adminSetScenarioState 200 provider-fails-once',
      'adminReset 200 null',
    ])
    expect((await list('?operation=adminReset'))[0]).toMatchObject({
      world: null,
      actor: { kind: 'anonymous', name: null, username: null, world: null },
    })
    expect(told(await list(`?world=${encodeURIComponent(made)}`))).toEqual([`deleteWorld 200 ${made}`])
    expect((await list('?world=demo%2Bt1')).map(({ operation }: Entry) => operation)).toEqual([
      'adminSetScenarioState',
      'deleteWorld',
      'createWorld',
    ])
    expect((await ask('GET', '/audit?limt=5')).status).toBe(400)
  })

  it('names the administrator’s token, as the log does, but not to world owners', async () => {
    const { log, lines } = readableLog()
    const own = await startSandbox(
      {
        ...hosted,
        SANDBOX_ADMIN_TOKENS: 'anna:0f3c5e7a9b1d2f4c, ben:9a2b4c6d8e0f1a3b',
        SANDBOX_PUBLIC_URL: '',
      },
      { log },
    )
    const ask = (token: string, method: string, path: string, body?: unknown) =>
      call(own.sandbox, method, `/__admin${path}`, body, { authorization: `Bearer ${token}` })
    await own.world().get('/api/v2/account/63')
    const state = '/scenarios/provider-fails-once/state?world=demo%2Bt1'
    expect((await ask('0f3c5e7a9b1d2f4c', 'PUT', state, { step: 2 })).status).toBe(200)
    expect((await ask('9a2b4c6d8e0f1a3b', 'PATCH', '/settings', { validation: 'lenient' })).status).toBe(200)
    expect((await ask(hosted.SANDBOX_ADMIN_TOKEN, 'POST', '/scenarios/reset')).status).toBe(200)
    expect((await ask('0f3c5e7a9b1d2f4d', 'POST', '/reset')).status).toBe(401)
    const { entries } = (await ask('9a2b4c6d8e0f1a3b', 'GET', '/audit')).body
    expect(entries.map(({ actor: by }: { actor: { name: string } }) => by.name)).toEqual([
      'admin',
      'ben',
      'anna',
    ])
    const seen = (await own.world().get(audit)).body
    expect(seen.entries).toEqual([])
    const first = client(own.sandbox, 'demo+t1', hosted.SANDBOX_API_PASSWORD)
    expect((await first.get(audit)).body.entries).toMatchObject([
      { operation: 'adminSetScenarioState', actor: { kind: 'admin', name: null, address: null } },
    ])
    const line = lines.find(({ path, method }) => path === '/__admin/settings' && method === 'PATCH')
    expect(line).toMatchObject({ admin: 'ben', id: entries[1].request_id })
    expect(JSON.stringify(entries) + JSON.stringify(lines)).not.toContain('0f3c5e7a9b1d2f4c')
  })
})

describe.each(shared)('the audit log of two sandboxes on one engine %s', (_, create) => {
  it('is shared and outlives both', async () => {
    const [engine, another] = await create()
    const [one, other] = [await startSandbox({}, { engine }), await startSandbox({}, { engine: another })]
    const [w, v] = [client(one.sandbox, 'demo+x', 'demo'), client(other.sandbox, 'demo+x', 'demo')]
    await w.post('/sandbox/snapshots', {})
    await v.post('/sandbox/reset')
    for (const each of [w, v])
      expect(told((await each.get(audit)).body.entries)).toEqual([
        'resetWorld 200 demo+x',
        'createSnapshot 201 1',
      ])
    await call(other.sandbox, 'POST', '/__admin/reset')
    const later = await startSandbox({}, { engine })
    const { entries } = (await call(later.sandbox, 'GET', '/__admin/audit')).body
    expect(told(entries)).toEqual(['adminReset 200 null', 'resetWorld 200 demo+x', 'createSnapshot 201 1'])
  })

  it('logs entries it could not store, without affecting the response', async () => {
    const { log, lines } = readableLog()
    const [engine] = await create()
    const broken = { ...engine, audit: { ...engine.audit, add: () => Promise.reject(new Error('no room')) } }
    const { sandbox: own } = await startSandbox({}, { engine: broken, log })
    expect((await call(own, 'POST', '/__admin/scenarios/reset')).status).toBe(200)
    expect(lines.find(({ message }) => message === 'Error: no room')).toMatchObject({
      entry: { operation: 'adminResetScenarios' },
    })
  })
})

describe('the audit log of a public sandbox', () => {
  it('contains addresses, isolates worlds, and hides the addresses of others', async () => {
    const { ask, stranger } = await openToStrangers({ SANDBOX_AUDIT_ENTRIES: '20' })
    const [one, other] = [await stranger(), await stranger()]
    await other.post('/sandbox/reset')
    const victim = encodeURIComponent(other.id)
    expect((await one.delete(`/sandbox/worlds/${victim}`)).status).toBe(404)
    expect((await one.patch(`/sandbox/worlds/${victim}`, { validation: 'lenient' })).status).toBe(404)
    for (let n = 0; n < 30; n++) await one.post('/sandbox/api-keys', { account_id: -n })
    expect((await other.get(audit)).body.entries).toMatchObject([
      { operation: 'resetWorld', actor: { address: other.from } },
    ])
    expect((await one.get(audit)).body.entries).toHaveLength(2)
    await ask('PATCH', `/sandbox/worlds/${victim}`, {
      as: OWNER,
      body: { validation: 'lenient' },
      from: '198.51.100.9',
    })
    const { status } = await ask('POST', '/sandbox/reset', { as: OWNER, from: '198.51.100.9' })
    expect(status).toBe(200)
    const bearer = { authorization: `Bearer ${hosted.SANDBOX_ADMIN_TOKEN}` }
    const all = (await ask('GET', '/__admin/audit', { headers: bearer })).body.entries
    expect(all[0]).toMatchObject({
      operation: 'resetWorld',
      world: 'demo',
      actor: { address: '198.51.100.9' },
    })
    expect((await ask('GET', '/__admin/audit')).status).toBe(401)
  })
})

describe('settings of administrators', () => {
  const start = (env: Record<string, string>) => startSandbox({ ...hosted, ...env })

  it.each([
    ['anna', /SANDBOX_ADMIN_TOKENS must be comma-separated names with tokens of at least 16 characters/],
    ['anna:short', /SANDBOX_ADMIN_TOKENS must be/],
    ['admin:0f3c5e7a9b1d2f4c', /contains the name admin.*choose another/],
    ['a:0f3c5e7a9b1d2f4c,b:0f3c5e7a9b1d2f4c', /b and a have the same token; give each its own/],
    ['a:0f3c5e7a9b1d2f4c,a:1f3c5e7a9b1d2f4c', /SANDBOX_ADMIN_TOKENS must be/],
  ])('%s prevents the start without showing a token', async (value, message) => {
    const refusal = await start({ SANDBOX_ADMIN_TOKENS: value }).catch((error: Error) => error)
    expect((refusal as Error).message).toMatch(message)
    expect((refusal as Error).message).not.toContain('0f3c5e7a9b1d2f4c')
  })

  it('a named token that equals the unnamed one prevents the start', async () => {
    const token = 'the same for both of them'.replaceAll(' ', '-')
    await expect(
      start({ SANDBOX_ADMIN_TOKEN: token, SANDBOX_ADMIN_TOKENS: `anna:${token}` }),
    ).rejects.toThrow('SANDBOX_ADMIN_TOKENS: anna and SANDBOX_ADMIN_TOKEN have the same token')
  })

  it('named tokens alone close /__admin to other machines in local mode', async () => {
    const { sandbox: own } = await startSandbox({ SANDBOX_ADMIN_TOKENS: 'anna:0f3c5e7a9b1d2f4c' })
    const ask = (headers: Record<string, string>) => call(own, 'GET', '/__admin/health', undefined, headers)
    expect((await ask({ host: 'rebind.example' })).status).toBe(403)
    expect((await ask({ host: 'rebind.example', authorization: 'Bearer 0f3c5e7a9b1d2f4c' })).status).toBe(200)
  })
})
