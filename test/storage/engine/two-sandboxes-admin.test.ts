import { describe, expect, it } from 'vitest'
import { collection } from '../../support/requests.ts'
import { call, client, startSandbox } from '../../support/sandbox.ts'
import { shared } from './engines.ts'

/** Time until one notices worlds that the other created, on a busy machine. */
const SOON = { timeout: 30_000 }

describe.each(shared)('/__admin of two sandboxes over one engine %s', (_, create) => {
  async function start(env: Record<string, string> = {}) {
    const [engine, another] = await create()
    const one = await startSandbox(env, { engine })
    const other = await startSandbox(env, { engine: another })
    const admin =
      ({ sandbox }: typeof one) =>
      (method: string, path: string, body?: unknown) =>
        call(sandbox, method, `/__admin${path}`, body)
    return { engine, one, other, here: admin(one), there: admin(other) }
  }

  it('both apply and show settings changed in one, until a reset', async () => {
    const { engine, here, there, other } = await start()
    const chaos = { probability: 1, status: 503 }
    expect((await here('PATCH', '/settings', { chaos, validation: 'lenient' })).body.chaos).toEqual(chaos)
    expect((await there('GET', '/settings')).body).toEqual({ validation: 'lenient', delay: null, chaos })
    const w = other.world()
    expect((await w.get('/api/v2/account/63')).status).toBe(503)
    expect((await w.get('/sandbox/worlds/current')).body.settings.validation).toBe('lenient')
    expect((await there('PATCH', '/settings', { chaos: null })).body.validation).toBe('lenient')
    expect((await here('POST', '/reset')).status).toBe(200)
    expect((await there('GET', '/settings')).body).toEqual({
      validation: 'documented',
      delay: null,
      chaos: null,
    })
    await engine.settings.change('process', () => ({ delay: { type: 'fixed', milliseconds: 5 } }))
    const later = await startSandbox({}, { engine })
    const { body } = await call(later.sandbox, 'GET', '/__admin/settings')
    expect(body.delay).toEqual({ type: 'fixed', milliseconds: 5 })
  })

  it('each shows requests, jobs and worlds of both', async () => {
    const { one, other, here, there } = await start()
    const [w, v] = [one.world(), client(other.sandbox, 'demo+v', 'demo')]
    await w.post('/api/v2/payments', collection(w))
    await v.get('/api/v2/account/63')
    for (const admin of [here, there]) {
      await expect.poll(async () => (await admin('GET', '/requests')).body.total, SOON).toBe(2)
      expect((await admin('POST', '/requests/count', { method: 'GET' })).body).toEqual({ count: 1 })
      expect((await admin('GET', '/health')).body).toMatchObject({ worlds: 3, pending_jobs: 1 })
      const { worlds, total } = (await admin('GET', '/worlds?prefix=demo%2B')).body
      expect([total, worlds.map(({ name }: { name: string }) => name).toSorted()]).toEqual([
        2,
        ['demo+t1', 'demo+v'],
      ])
    }
    expect((await there('DELETE', '/requests')).body).toEqual({ deleted: 2 })
    expect((await here('POST', '/reset')).body).toEqual({ worlds: 3 })
    expect((await there('GET', '/worlds')).body.worlds).toMatchObject([{ name: 'demo', expires_at: null }])
  })

  it('both share the rate limit', async () => {
    const { one, other } = await start({ SANDBOX_RATE_LIMIT: '20' })
    const clients = [one, other].map(({ sandbox }) => client(sandbox, 'demo+x', 'demo'))
    const statuses = []
    for (let n = 0; n < 50; n++) statuses.push((await clients[n % 2]!.get('/api/v2/account/63')).status)
    const through = statuses.filter((status) => status === 200).length
    expect(through).toBeLessThanOrEqual(20)
    expect(through).toBeGreaterThanOrEqual(17)
    expect(statuses.filter((status) => status === 429)).toHaveLength(50 - through)
  })

  it('both share the maximum number of worlds', async () => {
    const { engine, one, other } = await start({ SANDBOX_MAX_WORLDS: '4' })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        client([one, other][n % 2]!.sandbox, `demo+w${n}`, 'demo').get('/api/v2/account/63'),
      ),
    )
    const made = answers.filter(({ status }) => status === 200).length
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10 - made)
    // In memory, two concurrent creations would each count only their own.
    const [least, most] = engine.isRemote ? [3, 3] : [3, 6]
    expect(made).toBeGreaterThanOrEqual(least)
    expect(made).toBeLessThanOrEqual(most)
  })
})
