import { every } from '../support/rows.ts'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { SendResult } from '../../src/callbacks/send.ts'
import { systemWall } from '../../src/lib/clock/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'
import { collection } from '../support/requests.ts'
import { client, NOON, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world: newWorld, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

const MINUTE = 60_000
const chain = [
  { after: '10m', status: 'success' },
  { after: '20m', status: 'reversed' },
]
const failsFirst = { settle: { status: 'failed', reason: 'expired' } }

/** A payment that fails, succeeds late and is reversed, and is told of from the end. */
async function pay(
  world: Pick<TestWorld, 'put' | 'post'>,
  then: object = {},
  callback_url = 'http://r.test/',
) {
  const file = { title: 'A chain', then: { ...failsFirst, later: chain, callback: 'out-of-order', ...then } }
  expect((await world.put('/sandbox/scenarios/chain', file)).status).toBe(200)
  const paid = await world.post('/api/v2/payments', collection({ callback_url }), {
    prefer: 'scenario=chain',
  })
  expect(paid.status).toBe(201)
}

/** The state that a callback tells. */
const told = ({ status }: { readonly status?: unknown }) => String(status)
const arrivals = (world: TestWorld) => world.callbacks().map(({ body }) => told(body))

/** Answers with 500 to so many attempts of each state, then with 200. */
function failing(times: Record<string, number>, answer: Partial<SendResult> = { status: 500 }) {
  const left = { ...times }
  answerOf.next = ({ body }) => {
    const state = told(JSON.parse(body) as object)
    left[state] = (left[state] ?? 0) - 1
    return left[state] >= 0 ? { status: 500, error: '', ...answer } : { status: 200, error: '' }
  }
}

describe('a chain of three results, sent in reverse order', () => {
  it('arrives in that order', async () => {
    const world = newWorld()
    failing({})
    await pay(world, {}, world.callback_url)
    await world.settle()
    expect(arrivals(world)).toEqual(['reversed', 'success', 'failed'])
  })

  it.each([
    ['the newest fails first', { reversed: 1 }, ['reversed', 'reversed', 'success', 'failed']],
    ['the newest fails thrice', { reversed: 3 }, [...Array<string>(4).fill('reversed'), 'success', 'failed']],
    ['the newest is given up', { reversed: 99 }, [...Array<string>(6).fill('reversed'), 'success', 'failed']],
    ['the middle one fails first', { success: 2 }, ['reversed', 'success', 'success', 'success', 'failed']],
    ['the oldest fails first', { failed: 1 }, ['reversed', 'success', 'failed', 'failed']],
    [
      'each fails once',
      { reversed: 1, success: 1, failed: 1 },
      ['reversed', 'reversed', 'success', 'success', 'failed', 'failed'],
    ],
  ])('keeps its order when %s', async (_, times, order) => {
    const world = newWorld()
    failing(times)
    await pay(world, {}, world.callback_url)
    await world.settle()
    expect(arrivals(world)).toEqual(order)
    expect(await world.world().read(({ rows }) => every(rows, 'jobs'))).toEqual([])
  })

  it('keeps its order when the newest is retried in an hour', async () => {
    const world = newWorld()
    failing({ reversed: 1 }, { status: 503, headers: { 'retry-after': '3600' } })
    await pay(world, {}, world.callback_url)
    await world.advance(30 * MINUTE)
    expect(arrivals(world)).toEqual(['reversed'])
    await world.settle()
    expect(arrivals(world)).toEqual(['reversed', 'reversed', 'success', 'failed'])
  })

  it('keeps its order when every result is sent twice', async () => {
    const world = newWorld()
    failing({ reversed: 1 })
    await pay(world, { callback: { outOfOrder: true, times: 2 } }, world.callback_url)
    await world.settle()
    const order = arrivals(world)
    expect(order.toSorted()).toEqual(
      [...'ffrrrss'].map((s) => ({ f: 'failed', r: 'reversed', s: 'success' })[s]),
    )
    expect([...new Set(order)]).toEqual(['reversed', 'success', 'failed'])
  })

  it('keeps its order when two changes are planned for the same time', async () => {
    const world = newWorld()
    failing({ reversed: 1 })
    const later = chain.map((each) => ({ ...each, after: '10m' }))
    await pay(world, { later }, world.callback_url)
    await world.settle()
    expect(arrivals(world)).toEqual(['reversed', 'reversed', 'success', 'failed'])
  })

  it('keeps its order when the late success is triggered early by hand', async () => {
    const world = newWorld()
    failing({})
    await pay(world, {}, world.callback_url)
    await world.advance(5 * MINUTE)
    const simulated = await world.post('/sandbox/transactions/order-1/simulate', { outcome: 'success' })
    expect(simulated.status).toBe(200)
    await world.settle()
    expect(arrivals(world)).toEqual(['reversed', 'success', 'failed'])
  })
})

describe('a sandbox that was down meanwhile', () => {
  /** A sandbox on rows that are kept, at so many milliseconds past noon; what it sends goes into the list. */
  async function open(SANDBOX_DB: string, past: number, answer: (state: string) => number) {
    const sent: string[] = []
    const heard = { enough: () => {} }
    const config = readConfig({ SANDBOX_DB, LOG_LEVEL: 'silent', SANDBOX_RETRY_JITTER: 'off' })
    const sandbox = await createSandbox({
      config,
      log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => NOON }),
      wall: () => systemWall() + past,
      async send({ body }) {
        const state = told(JSON.parse(body) as object)
        sent.push(state)
        if (sent.length === 3) heard.enough()
        return { status: answer(state), error: '' }
      },
    })
    afterAll(() => sandbox.close())
    const three = new Promise<void>((resolve) => (heard.enough = resolve))
    return { sandbox, api: client(sandbox, 'demo', 'demo'), sent, three }
  }

  it('sends in reverse order all the same', async () => {
    const db = join(temporaryFolder(), 'rows.json')
    const first = await open(db, 0, () => 200)
    await pay(first.api)
    await first.api.post('/sandbox/clock/advance', { by: '2s' })
    await first.sandbox.close()
    const second = await open(db, 60 * MINUTE, () => 200)
    await second.api.post('/sandbox/clock/speed', { speed: 1000 })
    await second.three
    expect(second.sent).toEqual(['reversed', 'success', 'failed'])
  })

  it('waits after a restart for the newest callback, which had failed before', async () => {
    const db = join(temporaryFolder(), 'rows.json')
    const first = await open(db, 0, () => 500)
    await first.api.post('/sandbox/clock/freeze')
    await pay(first.api)
    await first.api.post('/sandbox/clock/advance', { by: '20m2s' })
    expect(first.sent).toEqual(['reversed'])
    await first.sandbox.close()
    const second = await open(db, 0, () => 200)
    await second.api.post('/sandbox/settle')
    expect(second.sent).toEqual(['reversed', 'success', 'failed'])
  })
})
