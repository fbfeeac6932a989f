import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { adminGuard } from '../../src/http/admin-guard.ts'
import { collection } from '../support/requests.ts'
import { call, hosted, NOON, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const asked = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  call(sandbox, method, `/__admin${path}`, body, headers)

describe('/__admin', () => {
  it('lists the requests of all worlds', async () => {
    const own = await startSandbox()
    const [one, other] = [own.world(), own.world()]
    await one.post('/api/v2/payments', collection(one))
    await other.get('/api/v2/account/63')
    const admin = (method: string, path: string, body?: unknown) =>
      call(own.sandbox, method, `/__admin${path}`, body)
    expect((await admin('GET', '/requests')).body).toMatchObject({ total: 2 })
    expect(
      (await admin('POST', '/requests/find', { operation: 'createCollection' })).body.requests,
    ).toMatchObject([{ world: 'demo+t1', request: { id: 'req_1' } }])
    expect((await admin('POST', '/requests/count', { method: 'GET' })).body).toEqual({ count: 1 })
    expect((await admin('GET', '/requests/req_1')).body.total).toBe(2)
    expect((await admin('GET', '/requests/req_9')).status).toBe(404)
    expect((await admin('DELETE', '/requests')).body).toEqual({ deleted: 2 })
    expect((await admin('GET', '/requests?limit=x')).status).toBe(400)
  })

  it('resets everything', async () => {
    const own = await startSandbox()
    const w = own.world()
    const made = await w.post('/sandbox/worlds')
    await w.post('/api/v2/payments', collection(w))
    await call(own.sandbox, 'PATCH', '/__admin/settings', {
      chaos: { probability: 1 },
      validation: 'lenient',
    })
    expect((await call(own.sandbox, 'POST', '/__admin/reset')).body).toEqual({ worlds: 3 })
    expect(
      own.sandbox.worlds
        .all()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['demo', made.body.world.id])
    expect((await call(own.sandbox, 'GET', '/__admin/settings')).body).toEqual({
      validation: 'documented',
      delay: null,
      chaos: null,
    })
  })

  it('lists and controls the scenarios of any world', async () => {
    const own = await startSandbox()
    const w = own.world()
    await w.patch('/sandbox/scenarios/payer-cancels', { on: true })
    const admin = (method: string, path: string, body?: unknown) =>
      call(own.sandbox, method, `/__admin/scenarios${path}`, body)
    const isOn = async (world: string) => {
      const { scenarios } = (await admin('GET', `?world=${encodeURIComponent(world)}`)).body
      return scenarios.find(({ name }: { name: string }) => name === 'payer-cancels').on
    }
    expect([await isOn('demo+t1'), await isOn('demo')]).toEqual([true, false])
    expect((await admin('PUT', '/provider-fails-once/state?world=demo%2Bt1', { step: 2 })).body.step).toBe(2)
    expect((await w.get('/sandbox/scenarios/provider-fails-once/state')).body.step).toBe(2)
    expect((await admin('GET', '?world=nobody')).status).toBe(404)
    expect((await admin('GET', '?world=')).status).toBe(400)
    expect((await admin('PUT', '/provider-fails-once/state', { step: 99 })).status).toBe(400)
    expect((await admin('PUT', '/no-such/state', { step: 1 })).status).toBe(404)
    expect((await admin('POST', '/reset')).body).toEqual({ worlds: 2 })
    expect(await isOn('demo+t1')).toBe(false)
  })

  it('lists worlds by last use, a page at a time', async () => {
    const time = { now: NOON }
    const own = await startSandbox({ SANDBOX_WORLD_TTL: '1h' }, { wall: () => time.now })
    for (const w of [own.world(), own.world(), own.world()]) {
      time.now += 1_000
      await w.get('/api/v2/account/63')
    }
    const list = async (query: string) => (await call(own.sandbox, 'GET', `/__admin/worlds${query}`)).body
    const page = await list('?prefix=demo%2B&limit=2')
    expect(page).toMatchObject({
      total: 3,
      worlds: [
        {
          name: 'demo+t3',
          created_at: '2026-06-13T12:00:03.000Z',
          last_used_at: '2026-06-13T12:00:03.000Z',
          expires_at: '2026-06-13T13:00:03.000Z',
        },
        { name: 'demo+t2' },
      ],
    })
    expect(page.worlds[0].bytes).toBeGreaterThan(0)
    const rest = await list(`?prefix=demo%2B&limit=2&after=${encodeURIComponent(page.next_after)}`)
    expect(rest).toMatchObject({ worlds: [{ name: 'demo+t1' }], next_after: null })
    expect((await list('')).worlds.at(-1)).toMatchObject({ name: 'demo', expires_at: null })
    expect((await call(own.sandbox, 'GET', '/__admin/worlds?after=x')).status).toBe(400)
  })

  it('lists the serving process', async () => {
    const { processes } = (await asked('GET', '/processes')).body
    expect(processes).toMatchObject([{ current: true, differences: [] }])
  })

  it('reports health and version', async () => {
    expect((await asked('GET', '/health')).body).toMatchObject({ status: 'ok', uptime_ms: 0 })
    expect((await asked('GET', '/version')).body).toMatchObject({
      name: 'payments-sandbox',
      api_version: '2.0.0',
    })
  })

  it('shuts down on request', async () => {
    let stopped = 0
    const own = await startSandbox({}, { stop: () => void stopped++ })
    expect((await call(own.sandbox, 'POST', '/__admin/shutdown')).body).toEqual({ status: 'closing' })
    expect(stopped).toBe(1)
  })

  it('returns 413 for a body over the limit', async () => {
    const headers = { 'content-length': String(2 << 20) }
    for (const path of ['/requests/find', '/requests/count'])
      expect((await asked('POST', path, 'x', headers)).status).toBe(413)
    expect((await asked('PATCH', '/settings', 'x', headers)).status).toBe(413)
  })

  it.each([
    [{ validation: 'strict' }, /^validation must be one of documented, lenient/],
    [{ chaos: { probability: 2 } }, /^chaos\.probability must be at most 1/],
    [{ delay: { type: 'normal' } }, /^delay\.type must be one of uniform, lognormal, fixed/],
    [{}, 'the request body changes nothing; give at least one of validation, delay, chaos'],
    [{ foo: 1 }, 'the request body changes nothing; give at least one of validation, delay, chaos, got foo'],
  ])('returns 400 for the settings %o', async (body, message) => {
    expect(await asked('PATCH', '/settings', body)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it.each(['/requests/find', '/requests/count'])('returns 400 for invalid conditions: %s', async (path) => {
    expect((await asked('POST', path, { nonsense: 1 })).status).toBe(400)
  })
})

describe('chaos and delays', () => {
  it('fail the configured share of service requests, the same ones each time, and nothing else', async () => {
    const run = async () => {
      const own = await startSandbox()
      const w = own.world()
      await call(own.sandbox, 'PATCH', '/__admin/settings', { chaos: { probability: 0.3 } })
      const statuses = []
      for (let n = 0; n < 40; n++) statuses.push((await w.get('/api/v2/account/63')).status)
      expect((await w.get('/sandbox/ledger')).status).toBe(200)
      return statuses
    }
    const statuses = await run()
    expect(new Set(statuses)).toEqual(new Set([200, 500, 503]))
    expect(statuses.filter((status) => status >= 500).length).toBeGreaterThan(4)
    expect(await run()).toEqual(statuses)
  })

  it.each([
    [{ type: 'fixed', milliseconds: 3 }, 3, 3],
    [{ type: 'uniform', lower: 1, upper: 3 }, 1, 3],
    [{ type: 'lognormal', median: 2, sigma: 0.1 }, 1, 4],
  ])('delay requests: %o', async (delay, least, most) => {
    const own = await startSandbox()
    const w = own.world()
    await w.get('/api/v2/account/63')
    expect(own.pauses).toEqual([])
    await call(own.sandbox, 'PATCH', '/__admin/settings', { delay })
    await w.get('/api/v2/account/63')
    expect(own.pauses).toHaveLength(1)
    expect(own.pauses[0]).toBeGreaterThanOrEqual(least)
    expect(own.pauses[0]).toBeLessThanOrEqual(most)
  })

  it('set the validation profile of worlds without one of their own', async () => {
    const own = await startSandbox()
    const [free, chosen] = [own.world(), own.world()]
    await chosen.patch('/sandbox/worlds/current', { validation: 'documented' })
    await free.get('/sandbox/ledger')
    await call(own.sandbox, 'PATCH', '/__admin/settings', { validation: 'lenient' })
    const profile = async (w: typeof free) =>
      (await w.get('/sandbox/worlds/current')).body.settings.validation
    expect([await profile(free), await profile(chosen)]).toEqual(['lenient', 'documented'])
  })
})

describe('access', () => {
  const token = 'a-long-random-text'
  const bearer = { authorization: `Bearer ${token}` }
  const asker = async (env: Record<string, string>) => {
    const own = await startSandbox(env)
    return (headers: Record<string, string>) =>
      call(own.sandbox, 'GET', '/__admin/health', undefined, headers)
  }

  it.each([
    ['a browser of another origin', { origin: 'https://shop.example', host: 'localhost:8080' }],
    ['a sandboxed frame', { origin: 'null', host: 'localhost:8080' }],
    ['an extension', { origin: 'chrome-extension://abc', host: 'localhost:8080', 'sec-fetch-site': 'none' }],
    [
      'a name that was made to lead here, whose page is of the same origin',
      { origin: 'http://rebind.example', host: 'rebind.example', 'sec-fetch-site': 'same-origin' },
    ],
    ['a form of another site', { host: 'localhost:8080', 'sec-fetch-site': 'cross-site' }],
    ['another port of the same machine', { origin: 'http://localhost:3000', host: 'localhost:8080' }],
    ['a name that was made to lead here', { host: 'rebind.example' }],
  ])('403 for %s', async (_, headers: Record<string, string>) => {
    expect(await asked('POST', '/reset', undefined, headers)).toMatchObject({
      status: 403,
      body: { error_code: 'permission_denied' },
    })
    const answer = await sandbox.fetch(
      new Request('http://sandbox.test/__admin/reset', { method: 'OPTIONS', headers }),
    )
    expect(answer.headers.get('access-control-allow-origin')).toBe(null)
  })

  it.each([
    { host: 'localhost:8080' },
    { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-origin' },
    { host: '[::1]:8080' },
    { host: 'sandbox:8080' },
    { host: 'host.docker.internal:8080' },
  ])('200 in local mode without a token as %o', async (headers) => {
    expect((await asked('GET', '/health', undefined, headers as Record<string, string>)).status).toBe(200)
  })

  it('hosted mode requires the token even from the same machine', async () => {
    const ask = await asker({ ...hosted, SANDBOX_ADMIN_TOKEN: token })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await ask({ authorization: `Basic ${btoa('demo:demo')}` })).status).toBe(401)
    expect((await ask({ ...bearer, host: 'sandbox.example' })).status).toBe(200)
    expect((await ask({ ...bearer, origin: 'https://shop.example' })).status).toBe(403)
  })

  it('local mode with a token stays open to the same machine', async () => {
    const ask = await asker({ SANDBOX_ADMIN_TOKEN: token })
    expect((await ask({ host: 'localhost' })).status).toBe(200)
    expect((await ask({ host: 'rebind.example' })).status).toBe(403)
    expect((await ask({ ...bearer, host: 'rebind.example' })).status).toBe(200)
  })

  it('local mode with a token requires it from other machines', () => {
    const guard = adminGuard({ mode: 'local', token })
    const app = new Hono()
      .get('/', (c) => {
        guard(c)
        return c.text('in')
      })
      .onError((error, c) => c.text(error.message, 401))
    const ask = (remoteAddress: string, headers = {}) =>
      app.request('http://sandbox/', { headers }, { incoming: { socket: { remoteAddress } } })
    const statuses = async () =>
      Promise.all([
        ask('10.0.0.7'),
        ask('::ffff:10.0.0.7'),
        ask('10.0.0.7', bearer),
        ask('::ffff:127.0.0.1'),
        ask('::1'),
      ])
    return expect(statuses().then((all) => all.map(({ status }) => status))).resolves.toEqual([
      401, 401, 200, 200, 200,
    ])
  })

  it('a page of another origin cannot reset a world with its reader’s credentials', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }
    expect((await w.post('/sandbox/reset', undefined, headers)).status).toBe(403)
    expect((await w.get('/sandbox/worlds/current')).body.transactions).toBe(1)
  })
})

describe('probes and metrics', () => {
  it.each(['/livez', '/readyz'])('return 200 at %s', async (path) => {
    expect((await sandbox.fetch(new Request(`http://sandbox.test${path}`))).status).toBe(200)
  })

  it('return 404 at /metrics, naming the setting, unless enabled', async () => {
    expect(await call(sandbox, 'GET', '/metrics')).toMatchObject(
      refused(404, 'resource_not_found', 'metrics are off; start the sandbox with SANDBOX_METRICS=on'),
    )
  })

  it('count requests, callbacks, jobs and worlds', async () => {
    const own = await startSandbox({ SANDBOX_METRICS: 'on' })
    const w = own.world()
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    await w.post('/api/v2/payments', collection(w))
    await w.get('/api/v2/account/5')
    const text = await (await own.sandbox.fetch(new Request('http://sandbox.test/metrics'))).text()
    for (const line of [
      'sandbox_requests_total{operation="createCollection",status="201"} 2',
      'sandbox_requests_total{operation="getAccount",status="404"} 1',
      'sandbox_callback_attempts_total{result="2xx"} 1',
      'sandbox_job_lateness_seconds_count{kind="settle"} 1',
      'sandbox_jobs_pending 1',
      'sandbox_worlds 2',
      'sandbox_worlds_bytes{item="snapshots"} 0',
      'sandbox_waiters{item="waiters"} 0',
    ])
      expect(text).toContain(line)
    expect(text).toContain('process_resident_memory_bytes')
    expect(text).toMatch(/^sandbox_worlds_bytes\{item="rows"\} \d{4,}$/m)
    expect(text).toMatch(/^sandbox_world_bytes_max \d{5,}$/m)
  })
})
