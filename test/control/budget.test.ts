import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log/log.ts'
import { Budget, noLimits } from '../../src/worlds/budget.ts'
import { defaultSeed } from '../../src/worlds/default-seed.ts'
import { collection } from '../support/requests.ts'
import { NOON, refused, startSandbox, type Answer, type TestWorld } from '../support/sandbox.ts'

interface Item {
  readonly name: string
  readonly used: number
  readonly limit: number | null
}

const KB = 'x'.repeat(1_000)
const itemOf = (answer: Answer, name: string) =>
  (answer.body.budget as Item[]).find((each) => each.name === name)!
/** About the longest payment that is accepted: a world keeps about 8 KB of it. */
const longPayment = (w: TestWorld, changes: object = {}) =>
  collection(w, {
    callback_url: `${w.callback_url}?${'x'.repeat(1_900)}`,
    external_reference: 'x'.repeat(250),
    ...changes,
  })
/** Pays until that is refused. @returns the refusal */
async function payUntilRefused(w: TestWorld, changes: object = {}): Promise<Answer> {
  for (let n = 0; n < 100; n++) {
    const answer = await w.post('/api/v2/payments', longPayment(w, changes))
    if (answer.status !== 201) return answer
  }
  throw new Error('100 payments were accepted')
}
const spent = (item: string) => refused(429, 'resource_exhausted', new RegExp(`^${item} of this world: `))

describe('a world', async () => {
  const { world } = await startSandbox()

  it('returns its usage of the budget when read alone, but not in lists', async () => {
    const w = world()
    const before = await w.get('/sandbox/worlds/current')
    expect(itemOf(before, 'rows')).toMatchObject({
      unit: 'bytes',
      limit: 2 ** 30,
      setting: 'SANDBOX_WORLD_ROWS',
      freed_by: expect.stringContaining('POST /sandbox/reset'),
    })
    expect(itemOf(before, 'requests')).toMatchObject({ unit: 'per_minute', limit: null })
    for (let n = 0; n < 6; n++) await w.post('/api/v2/payments', longPayment(w))
    await w.post('/sandbox/snapshots')
    const after = await w.get('/sandbox/worlds/current')
    expect(itemOf(after, 'rows').used).toBeGreaterThan(itemOf(before, 'rows').used + 10_000)
    expect(itemOf(after, 'request_log').used).toBeGreaterThan(10_000)
    expect(itemOf(after, 'snapshots').used).toBe(itemOf(after, 'rows').used)
    expect(itemOf(after, 'snapshot_count').used).toBe(1)
    await w.post('/sandbox/reset')
    const reset = await w.get('/sandbox/worlds/current')
    expect(itemOf(reset, 'rows').used).toBe(itemOf(before, 'rows').used)
    expect((await w.get('/sandbox/worlds')).body.worlds[0]).not.toHaveProperty('budget')
  })
})

describe('rows over budget', async () => {
  const { world } = await startSandbox({ SANDBOX_WORLD_ROWS: '100KB', SANDBOX_WORLD_SNAPSHOTS: 'none' })
  async function fullWorld() {
    const w = world()
    const pay = () => w.post('/api/v2/payments', longPayment(w))
    return { ...w, pay, refusal: await payUntilRefused(w) }
  }

  it('reject additions and name how to free space', async () => {
    const w = await fullWorld()
    expect(w.refusal).toMatchObject(spent('rows'))
    expect(w.refusal.body.error_message).toMatch(
      /used \(SANDBOX_WORLD_ROWS\); free some with DELETE \/sandbox\/outbox.* POST \/sandbox\/reset/,
    )
    expect(await w.post('/sandbox/api-keys', { account_id: 63 })).toMatchObject(spent('rows'))
    expect(await w.put('/sandbox/scenarios/a', 'x')).toMatchObject(spent('rows'))
  })

  it('can be read, snapshotted, settled and deleted', async () => {
    const w = await fullWorld()
    expect((await w.get('/sandbox/ledger')).status).toBe(200)
    expect((await w.post('/sandbox/requests/count', {})).status).toBe(200)
    expect((await w.post('/api/global/transaction-status', { request_id: 'none' })).status).toBe(404)
    expect((await w.post('/sandbox/snapshots')).status).toBe(201)
    const settled = await w.post('/sandbox/settle')
    expect(settled).toMatchObject({ status: 200, body: { complete: true } })
    expect(w.callbacks().length).toBeGreaterThan(0)
    expect((await w.post('/sandbox/snapshots/1/restore')).status).toBe(200)
    expect(await w.pay()).toMatchObject(spent('rows'))
    expect((await w.post('/sandbox/reset')).status).toBe(200)
    expect((await w.pay()).status).toBe(201)
  })

  it('are checked before an import or a seed is loaded', async () => {
    const w = await fullWorld()
    const exported = await w.get('/sandbox/export')
    const other = world()
    await other.get('/sandbox/ledger')
    const twice = exported.body.rows.transactions.map((row: { id: number }) => ({
      ...row,
      id: row.id + 1_000,
    }))
    const rows = { ...exported.body.rows, transactions: [...exported.body.rows.transactions, ...twice] }
    expect(await other.post('/sandbox/import', { ...exported.body, rows })).toMatchObject(spent('rows'))
    const { teams, ...others } = defaultSeed('demo', 'demo')
    const large = (id: number) => ({ ...teams[0]!, id, uuid: `team-${id}`, name: KB.slice(0, 255) })
    const seed = { ...others, teams: [...teams, ...Array.from({ length: 90 }, (_, n) => large(1_000 + n))] }
    expect(await w.post('/sandbox/worlds', { seed })).toMatchObject(spent('rows'))
    expect((await other.get('/sandbox/worlds/current')).body.transactions).toBe(0)
  })

  it('reserve the space of later settlements', async () => {
    for (const payment of [collection, longPayment]) {
      const w = world()
      await w.post('/api/v2/payments', payment(w))
      const used = async () => itemOf(await w.get('/sandbox/worlds/current'), 'rows').used
      const before = await used()
      await w.advance(2_000)
      expect(w.callbacks()).toHaveLength(1)
      expect(await used()).toBeLessThan(before + 500)
    }
  })

  it('store no response bodies of receivers', async () => {
    const answersKept = async (SANDBOX_WORLD_ROWS: string) => {
      const { world, answerOf, sandbox } = await startSandbox({ SANDBOX_WORLD_ROWS })
      answerOf.next = () => ({ status: 200, error: '', body: 'thanks', headers: { server: 'shop' } })
      const w = world()
      const { used } = itemOf(await w.get('/sandbox/worlds/current'), 'rows')
      expect((await w.post('/api/v2/payments', longPayment(w))).status).toBe(201)
      await w.settle()
      const next = await w.post('/api/v2/payments', longPayment(w))
      const { attempts } = await sandbox.worlds.dump(w.world().name)
      const kept = attempts!.map((row) => [row.status, row.answer_body, row.answer_headers])
      return { used, next, kept }
    }
    const { used, next, kept } = await answersKept('100KB')
    expect(next.status).toBe(201)
    expect(kept).toEqual([[200, 'thanks', { server: 'shop' }]])
    // Room for a body of 2.4 KB, and not for what is kept of it.
    const full = await answersKept(String(used + 3_000))
    expect(full.next).toMatchObject(spent('rows'))
    expect(full.kept).toEqual([[200, '', {}]])
  })

  it('returns 400 for an import with unknown fields in a row', async () => {
    const w = world()
    const exported = await w.get('/sandbox/export')
    const [first, ...others] = exported.body.rows.balances
    const rows = { ...exported.body.rows, balances: [{ ...first, junk: KB }, ...others] }
    const message = 'rows.balances[0] holds more than a row of balances has fields for'
    expect(await w.post('/sandbox/import', { ...exported.body, rows })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })
})

describe('the request log', async () => {
  const { world } = await startSandbox({ SANDBOX_WORLD_REQUEST_LOG: '1MB' })

  it('drops the oldest requests and events first, and keeps the last whatever its size', async () => {
    const w = world()
    for (let n = 0; n < 40; n++)
      await w.post(
        '/api/v2/payments',
        collection(w, { external_reference: `${n} ${KB.repeat(20)}`, amount: -1 }),
      )
    const { body } = await w.get('/sandbox/requests')
    expect(body.total).toBeGreaterThan(3)
    expect(body.total).toBeLessThan(40)
    expect(body.requests[0].id).toBe('req_40')
    const item = itemOf(await w.get('/sandbox/worlds/current'), 'request_log')
    expect(item.used).toBeLessThanOrEqual(item.limit!)
    const { events } = w.world()
    expect(events.count - events.position('0')!).toBeLessThan(40)
    await w.post('/api/v2/payments', collection(w, { external_reference: KB.repeat(1_000) }))
    expect((await w.get('/sandbox/requests')).body.requests[0].id).toBe('req_41')
    expect((await w.delete('/sandbox/requests')).body.deleted).toBeGreaterThan(0)
  })

  it('stores the first 64 KiB of a body as a separate text', async () => {
    const w = world()
    await w.post('/api/v2/payments', `${'x'.repeat(65_535)}😀${KB}`)
    const { body } = (await w.world().journal.all())[0]!
    expect(body).toBe(`${'x'.repeat(65_535)}\uFFFD`)
  })
})

describe('snapshots, scenarios and waiting requests', async () => {
  const { world } = await startSandbox({
    SANDBOX_WORLD_SNAPSHOTS: '100KB',
    SANDBOX_WORLD_SCENARIOS: '5KB',
    SANDBOX_WORLD_WAITERS: '1',
    SANDBOX_WORLD_STREAMS: '1',
  })

  it('return 429 for a snapshot over their bytes, until one is deleted', async () => {
    const w = world()
    for (let n = 0; n < 8; n++) await w.post('/api/v2/payments', longPayment(w))
    expect((await w.post('/sandbox/snapshots')).status).toBe(201)
    const message =
      /^snapshots of this world: .* of 100KB are used \(SANDBOX_WORLD_SNAPSHOTS\) and .* more are needed; free some with DELETE/
    expect(await w.post('/sandbox/snapshots')).toMatchObject(refused(429, 'resource_exhausted', message))
    await w.delete('/sandbox/snapshots/1')
    expect((await w.post('/sandbox/snapshots')).status).toBe(201)
  })

  it('return 429 for a scenario file over theirs, until a reset', async () => {
    const w = world()
    const file = {
      title: 'A made-up customer',
      summary: KB.repeat(3),
      when: { operation: 'createCollection' },
      then: { delay: '1s' },
    }
    expect((await w.put('/sandbox/scenarios/one', file)).status).toBe(200)
    expect(await w.put('/sandbox/scenarios/two', file)).toMatchObject(spent('scenarios'))
    expect((await w.patch('/sandbox/scenarios/one', { on: true })).status).toBe(200)
    await w.delete('/sandbox/scenarios')
    expect((await w.put('/sandbox/scenarios/two', file)).status).toBe(200)
  })

  it('return 429 for one more waiting request, until another ends', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const waiting = w.get('/sandbox/requests/wait?timeout=60s')
    while (itemOf(await w.get('/sandbox/worlds/current'), 'waiters').used === 0)
      await new Promise((resolve) => setImmediate(resolve))
    for (const path of ['/sandbox/requests/wait?count=9', '/sandbox/callbacks/wait'])
      expect(await w.get(path)).toMatchObject(spent('waiters'))
    await w.get('/api/v2/account/63')
    expect((await waiting).status).toBe(200)
    expect(itemOf(await w.get('/sandbox/worlds/current'), 'waiters').used).toBe(0)
  })

  it('count a delayed response, which leaves at once when the limit is reached', async () => {
    const going: (() => void)[] = []
    const pause = () => new Promise<void>((resolve) => going.push(resolve))
    const { world } = await startSandbox({ SANDBOX_WORLD_WAITERS: '1' }, { pause })
    const w = world()
    const pay = (Prefer: string) => w.post('/api/v2/payments', collection(w), { Prefer })
    const held = pay('delay=1h')
    while (going.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(itemOf(await w.get('/sandbox/worlds/current'), 'waiters').used).toBe(1)
    for (const more of ['delay=1h', 'fault=slow-body, delay=1h']) expect((await pay(more)).status).toBe(201)
    expect(going).toHaveLength(1)
    going[0]!()
    expect((await held).status).toBe(201)
    expect(itemOf(await w.get('/sandbox/worlds/current'), 'waiters').used).toBe(0)
  })

  it('free a slot when a stream closes', async () => {
    const { world, sandbox } = await startSandbox({ SANDBOX_WORLD_STREAMS: '1' })
    const w = world()
    await w.get('/sandbox/ledger')
    const authorization = `Basic ${Buffer.from('demo+t1:demo').toString('base64')}`
    const listen = () =>
      sandbox.fetch(new Request('http://sandbox.test/sandbox/events', { headers: { authorization } }))
    const stream = await listen()
    expect((await listen()).status).toBe(429)
    await stream.body!.cancel()
    const next = await listen()
    expect(next.status).toBe(200)
    await next.body!.cancel()
  })
})

describe('bodies', () => {
  it('free their bytes once, however often the request is closed', () => {
    const budget = new Budget({ ...noLimits, bodies: 100 }, () => NOON)
    const end = budget.begin('bodies', 60)
    budget.begin('bodies', 30)
    end()
    end()
    expect(budget.atOnce('bodies')).toBe(30)
  })

  it('return 429 beyond the limit of a world, though a single one may have any size', async () => {
    const { world } = await startSandbox({ SANDBOX_WORLD_BODIES: '1KB' })
    const w = world()
    const large = longPayment(w)
    const sized = (body: object) => {
      const text = JSON.stringify(body)
      return w.post('/api/v2/payments', text, { 'content-length': String(text.length) })
    }
    const [first, second] = await Promise.all([sized(large), sized(large)])
    expect([first.status, second.status].toSorted()).toEqual([201, 429])
    expect(first.status === 429 ? first : second).toMatchObject(spent('bodies'))
    expect((await sized(large)).status).toBe(201)
    expect(itemOf(await w.get('/sandbox/worlds/current'), 'bodies').used).toBe(0)
  })

  it('return 429 if the limit is reached while a body arrives', async () => {
    const { world, sandbox } = await startSandbox({ SANDBOX_WORLD_ROWS: '100KB' })
    const w = world()
    await w.get('/sandbox/ledger')
    const text = JSON.stringify(longPayment(w))
    let send: (value?: unknown) => void = () => {}
    const sent = new Promise((resolve) => (send = resolve))
    const body = new ReadableStream({
      async pull(controller) {
        await sent
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    })
    const authorization = `Basic ${Buffer.from('demo+t1:demo').toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const url = 'http://sandbox.test/api/v2/payments'
    const late = sandbox.fetch(
      new Request(url, { method: 'POST', body, headers, duplex: 'half' } as RequestInit),
    )
    expect(await payUntilRefused(w)).toMatchObject(spent('rows'))
    send()
    expect((await late).status).toBe(429)
  })
})

describe('rates', () => {
  it('return 429 with Retry-After for a request over the limit per minute, across all keys', async () => {
    const { world } = await startSandbox({ SANDBOX_WORLD_REQUESTS: '3' })
    const [w, other] = [world(), world()]
    for (const { get } of [w, w.viewer, w]) expect((await get('/api/v2/account/63')).status).toBe(200)
    const answer = await w.viewer.get('/sandbox/requests')
    expect(answer).toMatchObject(
      refused(
        429,
        'resource_exhausted',
        'requests of this world: 3 of 3 per minute are used (SANDBOX_WORLD_REQUESTS); try again in 60 s',
      ),
    )
    expect(answer.headers.get('retry-after')).toBe('60')
    expect((await other.get('/api/v2/account/63')).status).toBe(200)
  })

  it('delay callbacks over the limit per minute without losing any', async () => {
    let now = NOON
    const { world, received } = await startSandbox({ SANDBOX_WORLD_CALLBACKS: '2' }, { wall: () => now })
    const w = world()
    for (const external_reference of ['a', 'b', 'c'])
      await w.post('/api/v2/payments', collection(w, { external_reference }))
    const settled = await w.post('/sandbox/settle')
    expect(received).toHaveLength(2)
    expect(settled.body.jobs.at(-1).result).toMatch(
      /^delayed: this world has made 2 attempts in this minute; tried again in/,
    )
    expect((await w.get('/sandbox/worlds/current')).body.pending_jobs).toBe(1)
    now += 60_000
    await w.post('/sandbox/settle')
    expect(received).toHaveLength(3)
    expect((await w.get('/sandbox/callbacks')).body.callbacks).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'delivered' })),
    )
  })

  it('delay callbacks over the limit per day until midnight UTC without losing any', async () => {
    let now = NOON
    const env = { SANDBOX_WORLD_CALLBACKS_PER_DAY: '2', SANDBOX_WORLD_CALLBACKS: '100' }
    const { world, received } = await startSandbox(env, { wall: () => now })
    const w = world()
    for (const external_reference of ['a', 'b', 'c'])
      await w.post('/api/v2/payments', collection(w, { external_reference }))
    const settled = await w.post('/sandbox/settle')
    expect(received).toHaveLength(2)
    expect(settled.body.jobs.at(-1).result).toMatch(
      /^delayed: this world has made 2 attempts in this day; tried again in 43200 s/,
    )
    const { budget } = (await w.get('/sandbox/worlds/current')).body
    expect(budget.find(({ name }: { name: string }) => name === 'callbacks_per_day')).toMatchObject({
      unit: 'per_day',
      used: 2,
      limit: 2,
      setting: 'SANDBOX_WORLD_CALLBACKS_PER_DAY',
    })
    now += 43_200_000
    await w.post('/sandbox/settle')
    expect(received).toHaveLength(3)
  })

  it('return 429 for an invitation over the limit if mails are sent', async () => {
    const { world } = await startSandbox({ SANDBOX_WORLD_MAILS: '1' })
    const w = world()
    const invite = () =>
      w.post('/api/v2/account_invites', { organization_id: 1, account_id: 63, email: 'new@demo.example' })
    expect((await invite()).status).toBe(200)
    expect(await invite()).toMatchObject(spent('mails'))
    expect((await w.get('/sandbox/outbox')).body.mails).toHaveLength(1)
  })
})

describe('all worlds together', async () => {
  it('return 503 for additions over their limit, and for another world', async () => {
    let now = NOON
    const { world, sandbox } = await startSandbox({ SANDBOX_MAX_MEMORY: '200KB' }, { wall: () => now })
    const w = world()
    for (let n = 0; n < 30; n++) expect((await w.post('/api/v2/payments', longPayment(w))).status).toBe(201)
    now += 1_000
    const full = refused(
      503,
      'unavailable',
      /^all worlds together use .* of 200KB \(SANDBOX_MAX_MEMORY\); free some with DELETE/,
    )
    expect(await w.post('/api/v2/payments', collection(w))).toMatchObject(full)
    expect(await w.post('/sandbox/worlds', {})).toMatchObject(full)
    expect(await world().get('/sandbox/ledger')).toMatchObject(full)
    expect((await w.get('/sandbox/ledger')).status).toBe(200)
    await sandbox.worlds.drop(w.world().name)
    now += 1_000
    const fresh = world()
    expect((await fresh.post('/api/v2/payments', collection(fresh))).status).toBe(201)
  })

  it('return 503 if the heap exceeds the limit, whatever the worlds count', async () => {
    let grown = 0
    const { world } = await startSandbox({ SANDBOX_MAX_MEMORY: '50MB' }, { heapGrowth: () => grown })
    const w = world()
    expect((await w.post('/api/v2/payments', collection(w))).status).toBe(201)
    grown = 60 << 20
    expect(await w.post('/api/v2/payments', collection(w))).toMatchObject(
      refused(
        503,
        'unavailable',
        /^all worlds together use 60MB of 50MB \(SANDBOX_MAX_MEMORY\); free some with DELETE/,
      ),
    )
  })
})

describe('the log', () => {
  it('warns once when a world has spent 80 % and once when all, not at every request', async () => {
    const lines: string[] = []
    const log = createLog({
      level: 'warn',
      write: (line) => lines.push(line),
      terminal: false,
      now: () => NOON,
    })
    const { world } = await startSandbox({ SANDBOX_WORLD_REQUESTS: '10' }, { log })
    const w = world()
    for (let n = 0; n < 20; n++) await w.get('/api/v2/account/63')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { event: 'budget spent', world: 'demo+t1', item: 'requests', percent: 80, used: 8, limit: 10 },
      { event: 'budget spent', world: 'demo+t1', item: 'requests', percent: 100, used: 10, limit: 10 },
    ])
  })

  it('is used up at its limit, even if nothing is added', () => {
    const budget = new Budget({ ...noLimits, rows: 100 }, () => NOON)
    budget.require('rows', 99)
    expect(() => budget.require('rows', 100)).toThrow(/^rows of this world: 100 bytes of 100 bytes are used/)
  })

  it('warns again after an item has fallen below 80 %', () => {
    const told: string[] = []
    const budget = new Budget(
      { ...noLimits, waiters: 10 },
      () => NOON,
      ({ name, used }, percent) => told.push(`${name} ${used}: ${percent} %`),
    )
    const ends = Array.from({ length: 10 }, () => budget.begin('waiters'))
    // Nine of ten are 80 % again, which was the case before.
    for (const end of ends.splice(0, 2)) end()
    ends.push(budget.begin('waiters'))
    expect(told).toEqual(['waiters 8: 80 %', 'waiters 10: 100 %'])
    for (const end of ends) end()
    for (let n = 0; n < 8; n++) budget.begin('waiters')
    expect(told).toEqual(['waiters 8: 80 %', 'waiters 10: 100 %', 'waiters 8: 80 %'])
  })
})
