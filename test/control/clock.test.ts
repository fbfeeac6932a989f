import { describe, expect, it } from 'vitest'
import { RETRY_PROFILES } from '../../src/callbacks/retry.ts'
import { collection } from '../support/requests.ts'
import { NOON, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world: newWorld, answerOf } = await startSandbox({
  SANDBOX_RETRY_JITTER: 'off',
  SANDBOX_RETRY_PROFILE: 'paystack',
})
answerOf.next = () => ({ status: 200, error: '' })

const pay = async (world: TestWorld, changes: object = {}) =>
  (await world.post('/api/v2/payments', collection(world, changes))).body.reference as string
const at = (ms: number) => new Date(NOON + ms).toISOString()

describe('GET /sandbox/clock', () => {
  it('returns the time, the speed and the next job', async () => {
    const world = newWorld()
    const reference = await pay(world)
    const { status, body } = await world.get('/sandbox/clock')
    expect([status, body]).toEqual([
      200,
      {
        now: at(0),
        real_time: at(0),
        failing: [],
        frozen: true,
        speed: 0,
        scheduled: 1,
        next: { kind: 'settle', due_at: at(2_000), transaction: reference, callback: null },
      },
    ])
  })
})

describe('POST /sandbox/clock/advance', () => {
  it('runs due jobs in order, including those they create', async () => {
    const world = newWorld()
    const reference = await pay(world)
    const { status, body } = await world.post('/sandbox/clock/advance', { by: '72h' })
    expect(status).toBe(200)
    expect(body.clock.now).toBe(at(72 * 3_600_000))
    expect([body.job_count, body.complete]).toEqual([2, true])
    expect(body.jobs).toEqual([
      { kind: 'settle', due_at: at(2_000), transaction: reference, callback: null, result: 'SUCCESS' },
      { kind: 'callback', due_at: at(2_000), transaction: reference, callback: 1, result: 'answered 200' },
    ])
  })

  it('advances to a time', async () => {
    const { body } = await newWorld().post('/sandbox/clock/advance', { to: at(60_000) })
    expect(body.clock.now).toBe(at(60_000))
  })

  it('adds up with others at the same time', async () => {
    const world = newWorld()
    await pay(world)
    await Promise.all(['1s', '2s', '3s'].map((by) => world.post('/sandbox/clock/advance', { by })))
    expect((await world.get('/sandbox/clock')).body.now).toBe(at(6_000))
  })

  it('runs 72 hours of retries at once, with the gaps of the profile', async () => {
    answerOf.next = () => ({ status: 500, error: '' })
    const world = newWorld()
    await pay(world)
    const { body } = await world.post('/sandbox/clock/advance', { by: '73h' })
    answerOf.next = () => ({ status: 200, error: '' })
    const attempts = body.jobs.filter((each: { kind: string }) => each.kind === 'callback')
    const times = attempts.map((each: { due_at: string }) => Date.parse(each.due_at))
    const gaps = times.slice(1).map((time: number, n: number) => time - times[n])
    expect(gaps).toEqual(RETRY_PROFILES.paystack)
  })

  it.each([
    ['neither', {}, /one of by .* and to .* is required/],
    ['both', { by: '1s', to: at(1_000) }, /one of by .* and to .* is required/],
    ['a duration that is none', { by: '3 days' }, /^by "3 days" is not a duration/],
    [
      'a time that is over',
      { to: at(-1) },
      /^to must not be before the world's current time, 2026-06-13T12:00:00.000Z, got "/,
    ],
    [
      'a duration of more than 100 years',
      { by: '3000000d' },
      /^by "3000000d" is longer than 36525d \(100 years\), the maximum$/,
    ],
    [
      'a time that no date can hold',
      { to: '9999-12-31T23:59:59-01:00' },
      /must (be|lead to) at most .*, the latest supported time, got "/,
    ],
  ])('returns 400 for %s', async (_, body, message) => {
    expect(await newWorld().post('/sandbox/clock/advance', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })
})

describe('POST /sandbox/settle', () => {
  it('runs until nothing is pending', async () => {
    const world = newWorld()
    await pay(world)
    const { status, body } = await world.post('/sandbox/settle')
    expect([status, body.job_count, body.complete, body.clock.scheduled]).toEqual([200, 2, true, 0])
    expect(body.clock.now).toBe(at(2_000))
    expect((await world.post('/sandbox/settle')).body.jobs).toEqual([])
  })

  it('stops after a duration', async () => {
    const world = newWorld()
    await pay(world)
    expect((await world.post('/sandbox/settle?within=1s')).body.jobs).toEqual([])
    expect((await world.post('/sandbox/settle?within=2s')).body.job_count).toBe(2)
  })

  it('stops after a number of jobs and reports that more are pending', async () => {
    const world = newWorld()
    await pay(world)
    const { body } = await world.post('/sandbox/settle?limit=1')
    expect([body.job_count, body.complete, body.clock.scheduled]).toEqual([1, false, 1])
  })

  it('returns 400 for an invalid duration', async () => {
    expect((await newWorld().post('/sandbox/settle?within=far')).status).toBe(400)
  })
})

describe('the speed of a clock', () => {
  it('can be changed, frozen and reset to real time', async () => {
    const world = newWorld()
    expect((await world.post('/sandbox/clock/speed', { speed: 3600 })).body).toMatchObject({
      speed: 3600,
      frozen: false,
    })
    expect((await world.post('/sandbox/clock/freeze')).body).toMatchObject({ speed: 0, frozen: true })
    expect((await world.post('/sandbox/clock/resume')).body).toMatchObject({ speed: 1, frozen: false })
    await world.post('/sandbox/clock/freeze')
  })

  it('is stored in the rows of the world', async () => {
    const world = newWorld()
    await world.post('/sandbox/clock/advance', { by: '1h' })
    const row = await world.world().read(({ rows }) => rows.get('state', 'clock'))
    expect(row?.value).toEqual({ real_anchor: NOON, world_anchor: NOON + 3_600_000, speed: 0 })
  })

  it.each([0, -1, 1e9])('returns 400 for a factor of %d', async (speed) => {
    expect(await newWorld().post('/sandbox/clock/speed', { speed })).toMatchObject(
      refused(400, 'invalid_argument', /^speed must be/),
    )
  })

  it('does not affect other worlds', async () => {
    const [one, other] = [newWorld(), newWorld()]
    await one.post('/sandbox/clock/advance', { by: '1h' })
    expect((await other.get('/sandbox/clock')).body.now).toBe(at(0))
  })
})
