import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import type { WorldRows } from '../../../src/storage/store/change.ts'
import { job } from '../store/rows.ts'
import { emptyDatabase, NO_DATABASE, testDatabase } from '../../support/postgres.ts'
import { call, startSandbox } from '../../support/sandbox.ts'

describe.skipIf(!testDatabase)(`worlds that are not open ${testDatabase ? '' : NO_DATABASE}`, () => {
  const opened: Engine[] = []
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  /** Two processes: one creates worlds, the other lists them. */
  async function processes() {
    const url = await emptyDatabase()
    for (let n = 0; n < 2; n += 1) opened.push(await openPostgresEngine({ url, time: 'given' }))
    return opened as [Engine, Engine]
  }
  const made = (parent: string, name: string): WorldRows => ({
    state: [
      { name: 'origin', value: { parent } },
      { name: 'settings', value: { name } },
    ],
  })

  it('are listed by page and by name, in the order of creation', async () => {
    const [one, other] = await processes()
    await one.worlds.create('demo', {})
    for (const name of ['a', 'b', 'c']) await one.worlds.create(`demo+${name}`, made('demo', `The ${name}%`))
    await one.worlds.create('demo+copy', {})
    await one.worlds.create('demo+x', made('demo+a', ''))
    const list = (owner: string, query: { before?: number; limit?: number; search?: string } = {}) =>
      other.directory!.owned({
        owner,
        isHome: owner === 'demo',
        before: Infinity,
        limit: 100,
        search: '',
        ...query,
      })
    expect(await list('demo')).toEqual({
      names: ['demo', 'demo+a', 'demo+b', 'demo+c', 'demo+copy'],
      total: 5,
      next_before: null,
    })
    const page = await list('demo', { limit: 2 })
    expect(page).toMatchObject({ names: ['demo+c', 'demo+copy'], total: 5 })
    const older = await list('demo', { limit: 2, before: page.next_before! })
    expect(older).toMatchObject({ names: ['demo+a', 'demo+b'], total: 5 })
    expect(await list('demo', { search: 'the b%' })).toMatchObject({ names: ['demo+b'], total: 1 })
    expect(await list('demo+a')).toMatchObject({ names: ['demo+a', 'demo+x'], total: 2 })
    await one.store.change('demo+b', (change) => change.put('state', { name: 'settings', value: {} }))
    expect(await list('demo', { search: 'the b%' })).toEqual({ names: [], total: 0, next_before: null })
    expect(other.store.bytes('demo+a')).toBe(0)
  })

  it('are counted with their jobs, and unused if they are not called and have no jobs due soon', async () => {
    const [one, other] = await processes()
    const frozen = { name: 'clock', value: { real_anchor: 0, world_anchor: 0, speed: 0 } }
    await one.worlds.create('idle', {})
    await one.worlds.create('frozen', { jobs: [job(1, 50)], state: [frozen] })
    await one.worlds.create('soon', { jobs: [job(1, 5_000), job(2, 9_000)] })
    await one.worlds.create('called', {})
    for (const name of ['idle', 'frozen', 'soon']) one.worlds.used(name, 100)
    one.worlds.used('called', 2_000)
    await one.worlds.lastUsed('idle')
    expect(await other.directory!.count()).toBe(4)
    expect(await other.directory!.owed()).toEqual({ pending_jobs: 3, failing_jobs: 0 })
    expect(await other.directory!.unused(1_000, 6_000)).toEqual(['frozen', 'idle'])
    expect(await other.directory!.unused(1_000, 3_000)).toEqual(['frozen', 'idle', 'soon'])
    expect(await other.directory!.entry('called')).toMatchObject({ used_at: 2_000 })
  })

  it('are found by their invitations', async () => {
    const [one, other] = await processes()
    const invite = (token: string) => ({ id: 1, token, account_id: 63 }) as never
    await one.worlds.create('made', { invites: [invite('first')] })
    await one.store.change('made', (change) => change.insert('invites', invite('second')))
    await one.store.load('put', { invites: [invite('third')] })
    const worldOf = (token: string) => other.directory!.invited(token)
    expect(await Promise.all(['first', 'second', 'third', 'none'].map(worldOf))).toEqual([
      'made',
      'made',
      'put',
      undefined,
    ])
    await one.worlds.drop('made')
    expect(await worldOf('second')).toBeUndefined()
  })

  it('report the delay of their first job, and are dropped by a reset of all, without being opened', async () => {
    const [engine] = await processes()
    await engine.worlds.create('demo+frozen', {
      jobs: [job(1, 1_000)],
      state: [{ name: 'clock', value: { real_anchor: 0, world_anchor: 0, speed: 0 } }],
    })
    expect(await engine.directory!.lag(5_000)).toBe(0)
    await engine.worlds.create('demo+late', { jobs: [job(1, 2_000)] })
    expect(await engine.directory!.lag(5_000)).toBe(3_000)
    const { sandbox } = await startSandbox({}, { engine })
    const account = { authorization: `Basic ${btoa('demo+open:demo')}` }
    expect((await call(sandbox, 'POST', '/sandbox/worlds', {}, account)).status).toBe(201)
    for (let n = 0; n < 20; n += 1) await engine.worlds.create(`demo+n${n}`, {})
    const before = sandbox.worlds.all().length
    const origins = await engine.directory!.origins()
    expect(origins.filter(({ made }) => made).map(({ name }) => name)).toHaveLength(1)
    expect((await call(sandbox, 'POST', '/__admin/reset')).body).toEqual({ worlds: origins.length })
    expect(sandbox.worlds.all().length).toBeLessThanOrEqual(before)
    expect(await engine.worlds.names()).toHaveLength(2)
  })

  it('are opened by a request and closed when unused; a stream keeps one open', async () => {
    const engine = await openPostgresEngine({ url: await emptyDatabase() })
    afterAll(() => engine.close())
    const { sandbox, world } = await startSandbox(
      { SANDBOX_WORLD_IDLE: '1s' },
      { engine, wall: () => Date.now() },
    )
    const [quiet, watched] = [world(), world()]
    const names = () => sandbox.worlds.all().map(({ name }) => name)
    expect((await watched.get('/sandbox/clock')).status).toBe(200)
    const authorization = `Basic ${btoa('demo+t2:demo')}`
    const left = new AbortController()
    const request = { headers: { authorization }, signal: left.signal }
    const stream = await sandbox.fetch(new Request('http://sandbox.test/sandbox/events', request))
    expect((await quiet.get('/sandbox/clock')).status).toBe(200)
    expect(names()).toContain('demo+t1')
    await vi.waitFor(() => expect(names()).toEqual(['demo', 'demo+t2']), 30_000)
    expect((await quiet.get('/sandbox/clock')).status).toBe(200)
    left.abort()
    await stream.body?.cancel().catch(() => {})
    await vi.waitFor(() => expect(names()).toEqual(['demo']), 30_000)
  }, 60_000)
})
