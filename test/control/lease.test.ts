import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collection } from '../support/requests.ts'
import { NOON, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

// Timers and the wall are the test's own; nothing waits for real.
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: NOON,
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets time pass a second at a time, and the turns between that changes and reads take. */
async function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

const parts = { wall: () => Date.now(), clock: { real_anchor: 0, world_anchor: 0, speed: 1 } }
const { world: newWorld, sandbox } = await startSandbox({}, parts)

const at = (seconds: number) => new Date(NOON + seconds * 1_000).toISOString()
const take = (w: TestWorld, body: object = {}) =>
  w.put('/sandbox/lease', { holder: 'suite', duration: '60s', ...body })
const held = async (w: TestWorld) => (await w.get('/sandbox/lease')).body.lease

describe('a lease on a world', () => {
  it('shows who uses the world, since when and until when', async () => {
    const w = newWorld()
    expect(await held(w)).toBe(null)
    const { status, body } = await take(w)
    const lease = { holder: 'suite', since: at(0), until: at(60), restore: false }
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...lease, token: expect.stringMatching(/^.{30,100}$/) },
    })
    expect(await held(w)).toEqual(lease)
    expect((await w.viewer.get('/sandbox/lease')).body.lease).toEqual(lease)
  })

  it('rejects a second caller with the holder and the options', async () => {
    const w = newWorld()
    await take(w, { holder: 'certify of <shop> "a"' })
    const { status, body } = await take(w)
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        error_code: 'conflict',
        error_message: `the world ${w.world().name} is used by "certify of <shop> \\"a\\"" since ${at(0)}, until ${at(60)} unless the lease is renewed: wait for it ("wait": "60s"), or take it over ("take_over": true)`,
        status_code: 409,
        lease: { holder: 'certify of <shop> "a"', since: at(0), until: at(60), restore: false },
      },
    })
  })

  it('is given to one of many simultaneous callers', async () => {
    const w = newWorld()
    const answers = await Promise.all(Array.from({ length: 8 }, () => take(w)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
  })

  it('lasts as long as it is renewed', async () => {
    const w = newWorld()
    const { token } = (await take(w)).body
    await pass(50)
    const renewed = await w.put('/sandbox/lease', { token, duration: '60s' })
    expect(renewed).toMatchObject({ status: 200, body: { since: at(0), until: at(110), token } })
    await pass(30)
    expect(await held(w)).toMatchObject({ until: at(110) })
    await pass(31)
    expect(await held(w)).toBe(null)
    expect(await w.put('/sandbox/lease', { token })).toMatchObject({
      status: 409,
      body: {
        error_message: `this lease has ended: it expired, was released or was taken over; the world ${w.world().name} is free`,
        lease: null,
      },
    })
  })

  it('is only released by its token', async () => {
    const w = newWorld()
    const { token } = (await take(w)).body
    expect(await w.delete('/sandbox/lease?token=another')).toMatchObject({
      status: 409,
      body: { lease: { holder: 'suite' } },
    })
    expect(await w.delete(`/sandbox/lease?token=${token}`)).toMatchObject({
      status: 200,
      body: { deleted: 1 },
    })
    expect(await w.delete(`/sandbox/lease?token=${token}`)).toMatchObject({
      status: 200,
      body: { deleted: 0 },
    })
    expect((await take(w)).status).toBe(200)
  })

  it('can be taken over, which the previous holder learns when renewing', async () => {
    const w = newWorld()
    const { token } = (await take(w)).body
    expect(await take(w, { holder: 'Ada', take_over: true })).toMatchObject({
      status: 200,
      body: { holder: 'Ada' },
    })
    expect(await w.put('/sandbox/lease', { token })).toMatchObject({
      status: 409,
      body: { lease: { holder: 'Ada' } },
    })
  })

  it('is given to a waiting caller as soon as it is released or expires', async () => {
    const w = newWorld()
    const { token } = (await take(w)).body
    const waiting = take(w, { holder: 'second', wait: '50s' })
    await pass(10)
    await w.delete(`/sandbox/lease?token=${token}`)
    expect(await waiting).toMatchObject({ status: 200, body: { holder: 'second', since: at(10) } })
    const third = take(w, { holder: 'third', wait: '60s' })
    await pass(60)
    expect(await third).toMatchObject({ status: 200, body: { holder: 'third', since: at(70) } })
  })

  it('rejects a caller after the waiting time', async () => {
    const w = newWorld()
    await take(w, { duration: '10m' })
    const waiting = take(w, { holder: 'second', wait: '20s' })
    await pass(21)
    expect(await waiting).toMatchObject({ status: 409, body: { lease: { holder: 'suite' } } })
  })

  it('blocks no other requests', async () => {
    const w = newWorld()
    await take(w)
    expect((await w.post('/sandbox/clock/freeze')).status).toBe(200)
    expect((await w.post('/api/v2/payments', collection(w))).status).toBe(201)
  })

  it.each([
    [
      {},
      'holder is required and is shown to others, such as "checkout suite, build 4711"; to renew a lease, give its token instead',
    ],
    [{ holder: '' }, /holder/],
    [{ holder: 'x'.repeat(101) }, /holder/],
    [{ holder: 7 }, /holder must be text, got 7/],
    [{ holder: 'a', duration: '0' }, 'duration "0" is shorter than 1s, the minimum'],
    [{ holder: 'a', duration: '25h' }, 'duration "25h" is longer than 1d, the maximum'],
    [{ holder: 'a', duration: 'ever' }, /duration "ever" is not a duration such as/],
    [{ holder: 'a', wait: '2m' }, 'wait "2m" is longer than 1m, the maximum'],
    [{ holder: 'a', takeover: true }, /takeover is none of .* \(did you mean take_over\?\)/],
    [{ token: 'a', holder: 'b' }, /^holder cannot be combined with token/],
    [[], /./],
  ])('returns 400 for %j', async (body, message) => {
    const w = newWorld()
    expect(await w.put('/sandbox/lease', body)).toMatchObject(refused(400, 'invalid_argument', message))
  })
})

describe('a lease with restore', () => {
  /** Steers the world in every way. */
  async function steer(w: TestWorld) {
    await w.post('/sandbox/clock/freeze')
    await w.post('/sandbox/clock/advance', { by: '1h' })
    await w.patch('/sandbox/worlds/current', { payer: 'manual', retry_profile: 'none' })
    await w.put('/sandbox/scenarios/mine', {
      title: 'Mine',
      when: { operation: 'createCollection' },
      then: 'cancelled',
    })
    await w.patch('/sandbox/scenarios/mine', { on: true })
    await w.post('/sandbox/signing-secret', { overlap: '0' })
    await w.put('/sandbox/inbox/default', { responses: [500] })
  }

  async function steered(w: TestWorld) {
    const [{ body: world }, { body: clock }, { body: scenarios }, { body: secret }, { body: inbox }] =
      await Promise.all([
        w.get('/sandbox/worlds/current'),
        w.get('/sandbox/clock'),
        w.get('/sandbox/scenarios'),
        w.get('/sandbox/signing-secret'),
        w.get('/sandbox/inbox/default'),
      ])
    const own = scenarios.scenarios.filter(({ source }: { source: string }) => source === 'this world')
    return { settings: world.settings, speed: clock.speed, own, secret, responses: inbox.script }
  }

  it.each([
    ['is given back', (w: TestWorld, token: string) => w.delete(`/sandbox/lease?token=${token}`)],
    ['runs out, though the clock of the world stands still', () => pass(60)],
    ['is taken over', (w: TestWorld) => take(w, { holder: 'other', take_over: true })],
  ])('restores the world when it %s', async (_, end) => {
    const w = newWorld()
    await w.patch('/sandbox/worlds/current', { settle_after: '9s' })
    await w.post('/sandbox/clock/speed', { speed: 2 })
    const before = await steered(w)
    const { token } = (await take(w, { restore: true })).body
    await steer(w)
    const later = Date.parse((await w.get('/sandbox/clock')).body.now)
    expect(await steered(w)).not.toEqual(before)
    await end(w, token)
    expect(await steered(w)).toEqual(before)
    expect(Date.parse((await w.get('/sandbox/clock')).body.now)).toBeGreaterThanOrEqual(later)
  })

  it('runs jobs that the clock delayed', async () => {
    const w = newWorld()
    await take(w, { restore: true })
    await w.post('/sandbox/clock/freeze')
    await w.post('/api/v2/payments', collection(w))
    await pass(59)
    expect(w.callbacks()).toEqual([])
    await pass(10)
    expect(w.callbacks()).toHaveLength(1)
  })

  it('resumes a clock that ran in real time', async () => {
    const w = newWorld()
    await take(w, { restore: true })
    await w.post('/sandbox/clock/freeze')
    await pass(60)
    const { now, real_time } = (await w.get('/sandbox/clock')).body
    expect(now).toBe(real_time)
  })

  it('without restore leaves a modified world as it is', async () => {
    const w = newWorld()
    await take(w)
    await w.post('/sandbox/clock/freeze')
    await pass(61)
    expect((await w.get('/sandbox/clock')).body.frozen).toBe(true)
  })

  it('survives a reset, and restores the state before it', async () => {
    const w = newWorld()
    await w.patch('/sandbox/worlds/current', { settle_after: '9s' })
    const { token } = (await take(w, { restore: true })).body
    await w.post('/sandbox/reset')
    expect(await held(w)).toMatchObject({ holder: 'suite', until: at(60) })
    await w.post('/sandbox/clock/freeze')
    expect((await w.put('/sandbox/lease', { token, duration: '60s' })).status).toBe(200)
    await pass(61)
    expect(await held(w)).toBe(null)
    expect((await w.get('/sandbox/worlds/current')).body).toMatchObject({
      settings: { settle_after: '9s' },
      clock: { speed: 1 },
    })
  })

  it('is in neither snapshots nor exports, and survives their restoration', async () => {
    const w = newWorld()
    const first = (await take(w, { holder: 'first' })).body
    const { id } = (await w.post('/sandbox/snapshots')).body
    const exported = (await w.get('/sandbox/export')).body
    expect(JSON.stringify(exported)).not.toContain(first.token)
    await w.delete(`/sandbox/lease?token=${first.token}`)
    await w.post(`/sandbox/snapshots/${id}/restore`)
    expect(await held(w)).toBe(null)
    await take(w, { holder: 'second' })
    await w.post(`/sandbox/snapshots/${id}/restore`)
    expect(await held(w)).toMatchObject({ holder: 'second' })
    const state = [...(exported.rows.state ?? []), { name: 'lease', value: { holder: 'third', until: 9e15 } }]
    expect((await w.post('/sandbox/import', { ...exported, rows: { ...exported.rows, state } })).status).toBe(
      200,
    )
    expect(await held(w)).toMatchObject({ holder: 'second' })
    await pass(60)
    expect(await held(w)).toBe(null)
    expect(sandbox.worlds.get(w.world().name)).toBeDefined()
  })
})
