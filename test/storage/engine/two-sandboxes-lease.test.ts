import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { closeLater } from '../../support/close-later.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { shared } from './engines.ts'

const parts = { wall: () => Date.now(), clock: { real_anchor: 0, world_anchor: 0, speed: 1 } }
/** The shortest lease. */
const SHORT = { holder: 'first', duration: '1s', restore: true }

describe.each(shared)('a lease on a world of two sandboxes over one engine %s', (name, create) => {
  async function start() {
    const [engine, another] = await create()
    const one = await startSandbox({}, { ...parts, engine })
    const other = await startSandbox({}, { ...parts, engine: another })
    for (const { sandbox } of [one, other]) closeLater(() => sandbox.close())
    return { one, other, here: one.world(), there: other.world() }
  }

  it('is granted to one of two concurrent requests, and both sandboxes show its holder', async () => {
    const { here, there } = await start()
    const ask = (n: number) => (n % 2 ? here : there).put('/sandbox/lease', { holder: `suite ${n}` })
    const answers = await Promise.all([0, 1, 2, 3].map(ask))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    const { holder, token } = answers.find(({ status }) => status === 200)!.body
    for (const w of [here, there])
      expect((await w.get('/sandbox/lease')).body.lease).toMatchObject({ holder })
    const renewed = [
      await here.put('/sandbox/lease', { token }),
      await there.put('/sandbox/lease', { token }),
    ]
    expect(renewed.map(({ status }) => status)).toEqual([200, 200])
  })

  it('is granted to a waiting client of the other sandbox when it ends', async () => {
    const { here, there } = await start()
    const { token } = (await here.put('/sandbox/lease', { holder: 'first' })).body
    await here.post('/sandbox/clock/freeze')
    const waiting = there.put('/sandbox/lease', { holder: 'second', wait: '60s' })
    await here.delete(`/sandbox/lease?token=${token}`)
    expect(await waiting).toMatchObject({ status: 200, body: { holder: 'second' } })
  })

  it('is ended by the other sandbox when one has gone, and the world restored', async () => {
    const { one, here, there } = await start()
    await there.get('/sandbox/worlds/current')
    await here.put('/sandbox/lease', SHORT)
    await here.post('/sandbox/clock/freeze')
    await one.sandbox.close()
    const waited = await there.put('/sandbox/lease', { holder: 'second', wait: '60s' })
    expect(waited).toMatchObject({ status: 200, body: { holder: 'second' } })
    expect((await there.get('/sandbox/clock')).body).toMatchObject({ frozen: false })
  })

  it.runIf(name === 'in PostgreSQL')('ends in a world that is not open', async () => {
    const { one, other, here } = await start()
    await here.put('/sandbox/lease', SHORT)
    await here.post('/sandbox/clock/freeze')
    const { name } = here.world()
    await one.sandbox.close()
    await vi.waitFor(() => expect(other.sandbox.worlds.get(name)?.clock.state.speed).toBe(1), {
      timeout: 30_000,
    })
  })
})

it('a lease that expired while no sandbox was running ends at the next start', async () => {
  const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json') }
  const first = await startSandbox(env, parts)
  const w = first.world()
  await w.put('/sandbox/lease', SHORT)
  await w.put('/sandbox/scenarios/mine', {
    title: 'Mine',
    when: { operation: 'createCollection' },
    then: 'cancelled',
  })
  await w.post('/sandbox/clock/freeze')
  await first.sandbox.close()
  const later = { ...parts, wall: () => Date.now() + 5_000 }
  const second = (await startSandbox(env, later)).world()
  await vi.waitFor(async () => {
    expect((await second.get('/sandbox/clock')).body).toMatchObject({ frozen: false })
  })
  expect((await second.get('/sandbox/lease')).body.lease).toBe(null)
  expect((await second.get('/sandbox/scenarios/mine')).status).toBe(404)
})
