import { afterEach, describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const sandbox = await startSandbox()
const END = '9999-12-31T23:59:59.999Z'
const TOO_LONG = '9007199254740000'
const tooLong = /"?9007199254740000"? is longer than 36525d \(100 years\), the maximum/

const leave: (() => void)[] = []
afterEach(() => {
  for (const stop of leave.splice(0)) stop()
})

/** A world with somebody who reads its events, as a stream would. */
async function watched() {
  const world = sandbox.world()
  await world.get('/sandbox/clock')
  const events: string[] = []
  await world.world().events.ready()
  leave.push(
    world.world().eventListeners.add(
      (event) => void events.push(JSON.stringify(event.data())),
      () => {},
    ),
  )
  return { world, events }
}

const pay = (world: TestWorld, headers = {}) => world.post('/api/v2/payments', collection(world), headers)

describe('400 for a duration of more than 100 years', () => {
  const kyc = { when: { operation: 'submitKyc' } }
  it.each([
    ['settle_after', 'patch', '/sandbox/worlds/current', { settle_after: TOO_LONG }],
    ['review_after', 'patch', '/sandbox/worlds/current', { review_after: 9007199254740000 }],
    ['settle_after of a new world', 'post', '/sandbox/worlds', { settings: { settle_after: TOO_LONG } }],
    ['settle.after', 'put', '/sandbox/scenarios/x', { title: 'x', then: { settle: { after: TOO_LONG } } }],
    [
      'later.after',
      'put',
      '/sandbox/scenarios/x',
      { title: 'x', then: { later: [{ after: TOO_LONG, status: 'reversed' }] } },
    ],
    [
      'callback.after',
      'put',
      '/sandbox/scenarios/x',
      { title: 'x', then: { callback: { after: TOO_LONG } } },
    ],
    [
      'review.after',
      'put',
      '/sandbox/scenarios/x',
      { title: 'x', ...kyc, then: { review: [{ after: TOO_LONG, status: 'approved' }] } },
    ],
    [
      'channel.reactivateAfter',
      'put',
      '/sandbox/scenarios/x',
      { title: 'x', then: { channel: { reactivateAfter: TOO_LONG } } },
    ],
    ['reactivate_after', 'patch', '/sandbox/channels/1501', { is_active: false, reactivate_after: TOO_LONG }],
    ['by', 'post', '/sandbox/clock/advance', { by: TOO_LONG }],
    ['within', 'post', `/sandbox/settle?within=${TOO_LONG}`, undefined],
    ['overlap', 'post', '/sandbox/signing-secret', { overlap: TOO_LONG }],
    ['after', 'post', '/sandbox/callbacks/fire', { reference: 'any', after: TOO_LONG }],
  ] as const)('%s', async (_, method, path, body) => {
    const { world } = await watched()
    expect(await world[method](path, body)).toMatchObject(refused(400, 'invalid_argument', tooLong))
  })

  it.each(['/sandbox/requests/wait?reference=x', '/sandbox/callbacks/wait?reference=x'])(
    'timeout of %s, which is at most a minute',
    async (path) => {
      expect(await sandbox.world().get(`${path}&timeout=${TOO_LONG}`)).toMatchObject(
        refused(400, 'invalid_argument', `timeout "${TOO_LONG}" is longer than 1m, the maximum`),
      )
    },
  )
})

describe('400 for an import that has', () => {
  const clock = { real_anchor: 0, world_anchor: 0, speed: 0 }
  it.each([
    [
      'a pace beyond all',
      { clock: { ...clock, speed: 1e308 } },
      'clock.speed must be at most 1000000, got 1e+308',
    ],
    [
      'a wall that no date can hold',
      { clock: { ...clock, real_anchor: 9e15 } },
      /^clock\.real_anchor must be at most/,
    ],
    [
      'a time that no date can hold',
      { clock: { ...clock, world_anchor: 9e15 } },
      /^clock\.world_anchor must be at most/,
    ],
    [
      'an export of no time',
      { exported_at: '+275760-09-13T00:00:00Z' },
      /^exported_at must be an ISO 8601 date-time/,
    ],
  ])('%s', async (_, change, message) => {
    const { world } = await watched()
    const exported = (await world.get('/sandbox/export')).body
    expect(await world.post('/sandbox/import', { ...exported, ...change })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it.each([
    [
      'created_at',
      9e15,
      /^rows\.transactions\[0\]\.created_at must be at most 253402300799999, got 9000000000000000/,
    ],
    ['created_at', 253402300800000, /^rows\.transactions\[0\]\.created_at must be at most/],
    ['amount', 'much', 'rows.transactions[0].amount must be a whole number, got "much"'],
    [
      'plan',
      { settle: { after: 9e15 } },
      /^rows\.transactions\[0\]\.plan\.settle\.after must be at most 3155760000000/,
    ],
  ])('a transaction with the %s %j', async (field, value, message) => {
    const { world } = await watched()
    await pay(world)
    const exported = (await world.get('/sandbox/export')).body
    const [row] = exported.rows.transactions
    const rows = { ...exported.rows, transactions: [{ ...row, [field]: value }] }
    expect(await world.post('/sandbox/import', { ...exported, rows })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('state that would fail at the next request', async () => {
    const { world } = await watched()
    const exported = (await world.get('/sandbox/export')).body
    const state = [
      {
        name: 'scenarios',
        value: {
          on: [],
          queue: [],
          used: {},
          files: { x: { title: 'x', then: { settle: { after: TOO_LONG } } } },
        },
      },
    ]
    expect(
      await world.post('/sandbox/import', { ...exported, rows: { ...exported.rows, state } }),
    ).toMatchObject(refused(400, 'invalid_argument', tooLong))
  })

  it('hundreds of errors, of which the first are reported', async () => {
    const { world } = await watched()
    const exported = (await world.get('/sandbox/export')).body
    const mails = Array.from({ length: 500 }, (_, id) => ({ id }))
    const answer = await world.post('/sandbox/import', { ...exported, rows: { ...exported.rows, mails } })
    expect(answer.status).toBe(400)
    expect(answer.body.error_message.split('; ')).toHaveLength(20)
  })
})

describe('the latest supported time', () => {
  it('is when later jobs fall due, and no clock passes it', async () => {
    const { world, events } = await watched()
    await world.post('/sandbox/clock/advance', { to: END })
    await pay(world)
    expect((await world.get('/sandbox/clock')).body).toMatchObject({ now: END, next: { due_at: END } })
    const { body } = await world.post('/sandbox/settle')
    expect(body).toMatchObject({ job_count: 2, complete: true, clock: { now: END } })
    expect(await world.post('/sandbox/clock/advance', { by: '1ms' })).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `by must lead to at most ${END}, the latest supported time, got "1ms"`,
      ),
    )
    const exported = (await world.get('/sandbox/export')).body
    expect((await world.post('/sandbox/import', exported)).status).toBe(200)
    expect(events.length).toBeGreaterThan(0)
  })

  it('ends a settle that creates ever later jobs', async () => {
    const { world } = await watched()
    await world.patch('/sandbox/worlds/current', { settle_after: '36525d' })
    for (let century = 0; century < 90; century++) {
      await pay(world)
      await world.post('/sandbox/settle')
    }
    expect((await world.get('/sandbox/clock')).body).toMatchObject({ now: END, scheduled: 0, failing: [] })
  })

  it('stops a clock at any speed', async () => {
    const w = sandbox.world()
    await w.get('/sandbox/clock')
    const { clock } = w.world()
    clock.set(Date.parse(END) - 1)
    clock.run(1_000_000)
    expect(clock.now()).toBe(Date.parse(END) - 1)
    expect(clock.wallTimeOf(Date.parse(END) + 1)).toBe(Infinity)
    clock.freeze()
  })

  it('is not a valid start', async () => {
    expect(
      await sandbox.world().post('/sandbox/worlds', { clock: { at: '9999-12-31T23:59:59-12:00' } }),
    ).toMatchObject(
      refused(400, 'invalid_argument', /^clock\.at must be from 0000.*, got "9999-12-31T23:59:59-12:00"$/),
    )
  })
})
